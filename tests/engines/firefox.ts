import puppeteer from 'puppeteer-core'
import type { Engine, EnginePage } from './engine.ts'

/** Firefox, by default that of Debian, controlled over WebDriver BiDi without a separate driver. */
export const firefox: Engine = {
  name: 'Firefox',
  async launch() {
    const browser = await puppeteer.launch({
      browser: 'firefox',
      executablePath: process.env['FIREFOX'] ?? '/usr/bin/firefox-esr',
      headless: true,
      timeout: 120_000,
      protocolTimeout: 120_000,
    })
    const page = await browser.newPage()
    page.on('dialog', (dialog) => void dialog.accept())
    const evaluate = page.evaluate.bind(page) as EnginePage['evaluate']
    return {
      page: {
        open: async (url) => void (await page.goto(url)),
        evaluate,
        click: (selector) => page.click(selector),
        type: (text) => page.keyboard.type(text),
        async press(key) {
          if (key !== 'Shift+Enter') return page.keyboard.press(key)
          await page.keyboard.down('Shift')
          await page.keyboard.press('Enter')
          await page.keyboard.up('Shift')
        },
        resize: (width, height) => page.setViewport({ width, height }),
        screenshot: () => page.screenshot({ encoding: 'base64' }),
      },
      close: () => browser.close(),
    }
  },
}
