import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { launchChromium } from '../chromium.ts'

const publicRoot = fileURLToPath(new URL('../../web/public', import.meta.url))

/**
 * Icons to render. Systems crop a maskable icon to any shape, so its background fills the image and its drawing is smaller.
 */
const icons = [
  { file: 'icon-192.png', sizePx: 192, isMaskable: false },
  { file: 'icon-512.png', sizePx: 512, isMaskable: false },
  { file: 'icon-maskable-512.png', sizePx: 512, isMaskable: true },
  { file: 'apple-touch-icon.png', sizePx: 180, isMaskable: true },
]

/** Renders the bitmap icons from the vector icon, for systems that do not support vector icons. */
async function renderIcons() {
  const svg = await readFile(join(publicRoot, 'icon.svg'), 'utf8')
  const background = /<rect[^>]*fill="([^"]+)"/.exec(svg)?.[1] ?? 'transparent'
  const browser = await launchChromium()
  try {
    for (const { file, sizePx, isMaskable } of icons) {
      const page = await browser.newPage({ viewport: { width: sizePx, height: sizePx } })
      const drawing = isMaskable ? `<div style="padding:8%;box-sizing:border-box">${svg}</div>` : svg
      await page.setContent(
        `<style>body{margin:0;background:${isMaskable ? background : 'transparent'}}svg{display:block;width:100%}</style>${drawing}`,
      )
      await page.screenshot({ path: join(publicRoot, file), omitBackground: true })
      await page.close()
    }
  } finally {
    await browser.close()
  }
}

await renderIcons()
