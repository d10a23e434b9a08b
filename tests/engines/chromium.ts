import { launchChromium } from '../../scripts/chromium.ts'
import type { Engine, EnginePage } from './engine.ts'

export const chromium: Engine = {
  name: 'Chromium',
  async launch() {
    const browser = await launchChromium()
    const page = await browser.newPage()
    page.on('dialog', (dialog) => void dialog.accept())
    // Playwright's type unwraps handles, which these tests do not use.
    const evaluate = page.evaluate.bind(page) as EnginePage['evaluate']
    return {
      page: {
        open: async (url) => void (await page.goto(url)),
        evaluate,
        click: (selector) => page.click(selector),
        type: (text) => page.keyboard.type(text),
        press: (key) => page.keyboard.press(key),
        resize: (width, height) => page.setViewportSize({ width, height }),
        screenshot: async () => (await page.screenshot()).toString('base64'),
      },
      close: () => browser.close(),
    }
  },
}
