import { chromium, type Browser } from '@playwright/test'

/** Options for the installed Chromium: no background network traffic and no graphics card. */
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

export const launchChromium = (): Promise<Browser> => chromium.launch(chromiumOptions)
