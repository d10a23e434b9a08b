import { existsSync } from 'node:fs'
import { chromium, type Browser } from '@playwright/test'

const headlessShell = '/usr/bin/chromium-headless-shell'

/**
 * Launch options for the installed Chromium, or for the program in `CHROMIUM`: headless, without background network
 * traffic and without a graphics card.
 */
export const chromiumOptions = {
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
}

/**
 * Launch options for the headless shell of Chromium; those of Chromium if the shell is not installed or `CHROMIUM` is
 * set. The shell has the same engine, and a new context takes a seventh of the CPU time.
 */
export const headlessShellOptions = {
  ...chromiumOptions,
  ...(process.env['CHROMIUM'] === undefined && existsSync(headlessShell) ? { executablePath: headlessShell } : {}),
}

export const launchChromium = (): Promise<Browser> => chromium.launch(chromiumOptions)
