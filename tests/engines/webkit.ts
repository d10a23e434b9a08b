import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { Builder, Capabilities, Key, type WebDriver } from 'selenium-webdriver'
import { findFreePort } from '../support/free-port.ts'
import type { Engine, EnginePage } from './engine.ts'

const keys = {
  Enter: Key.ENTER,
  'Shift+Enter': Key.chord(Key.SHIFT, Key.ENTER),
  Tab: Key.TAB,
  Backspace: Key.BACK_SPACE,
  PageUp: Key.PAGE_UP,
  ArrowDown: Key.ARROW_DOWN,
}

/** Starts a virtual display. Xvfb chooses a free display number and prints it. */
async function startDisplay(): Promise<{ screen: ChildProcess; display: string }> {
  const screen = spawn('Xvfb', ['-displayfd', '1', '-screen', '0', '1600x1200x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  if (screen.stdout === null) throw new Error('Xvfb has no output')
  const [number] = (await once(screen.stdout, 'data')) as [Buffer]
  return { screen, display: `:${String(number).trim()}` }
}

function browserPath(): string {
  const [path] = globSync('/usr/lib/*/webkit2gtk-4.*/MiniBrowser')
  if (path === undefined) throw new Error('webkit2gtk-driver does not contain MiniBrowser')
  return path
}

async function connect(port: number): Promise<WebDriver> {
  const capabilities = new Capabilities({
    browserName: 'MiniBrowser',
    unhandledPromptBehavior: 'accept',
    'webkitgtk:browserOptions': { binary: browserPath(), args: ['--automation'] },
  })
  const address = `http://127.0.0.1:${port}`
  while ((await fetch(`${address}/status`).catch(() => null))?.ok !== true) await delay(50)
  return new Builder().usingServer(address).withCapabilities(capabilities).build()
}

async function stop(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill()
  await once(child, 'exit')
}

/** WebKit of Debian, controlled over its WebDriver, on a virtual display. */
export const webkit: Engine = {
  name: 'WebKit',
  async launch() {
    const { screen, display } = await startDisplay()
    const port = await findFreePort()
    // The sandbox needs namespaces, which many containers do not provide.
    const env = { ...process.env, DISPLAY: display, GDK_BACKEND: 'x11', WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1' }
    const service = spawn('WebKitWebDriver', [`--port=${port}`], { stdio: 'ignore', env })
    const driver = await connect(port)
    const typeKeys = async (text: string) => driver.switchTo().activeElement().sendKeys(text)
    const evaluate = (async (run: (argument: unknown) => unknown, argument: unknown) =>
      driver.executeScript(`return (${String(run)})(arguments[0])`, argument)) as EnginePage['evaluate']
    return {
      page: {
        open: (url) => driver.get(url),
        evaluate,
        click: (selector) => driver.findElement({ css: selector }).click(),
        type: typeKeys,
        press: (key) => typeKeys(keys[key]),
        resize: async (width, height) => void (await driver.manage().window().setRect({ width, height })),
        screenshot: () => driver.takeScreenshot(),
      },
      async close() {
        await driver.quit()
        await stop(service)
        await stop(screen)
      },
    }
  },
}
