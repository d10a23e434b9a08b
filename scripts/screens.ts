import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser } from '@playwright/test'
import { launchChromium } from './chromium.ts'
import { ensureBuild } from './build/ensure-build.ts'
import { startDemoRoom } from './screens/demo-room.ts'
import { type State, states } from './screens/states.ts'
import type { View } from './screens/views.ts'
import { root, logLine } from './steps.ts'

const docs = join(root, 'docs')
const folder = 'screens'

const fileOf = (state: State, view: View) => `${folder}/${state.id}-${view.id}.png`

/** Sets the text size, as a setting of the browser does, and the text direction before the first paint. */
function applyTextSettings({ text, direction }: { text: number; direction: string }) {
  new MutationObserver((_changes, observer) => {
    document.documentElement.style.fontSize = `${text}%`
    document.documentElement.dir = direction
    observer.disconnect()
  }).observe(document, { childList: true })
}

async function takeScreenshot(browser: Browser, state: State, view: View) {
  // Each screenshot has its own server, because some states kill it.
  const demo = await startDemoRoom(browser)
  try {
    const page = await demo.open({
      reducedMotion: 'reduce',
      locale: 'en-US',
      timezoneId: 'Europe/Berlin',
      ...view.context,
    })
    page.on('dialog', (dialog) => void dialog.accept())
    await page.addInitScript(applyTextSettings, { text: view.text ?? 100, direction: view.direction ?? 'ltr' })
    await state.show(page, demo)
    if (view.isPrinted === true) await page.emulateMedia({ media: 'print' })
    await page.mouse.move(0, 0)
    await page.screenshot({
      path: join(docs, fileOf(state, view)),
      animations: 'disabled',
      caret: state.showsCaret === true ? 'initial' : 'hide',
      fullPage: view.isPrinted === true,
    })
    await page.context().close()
  } finally {
    await demo.close()
  }
}

const maxColumns = 3

const rowsOf = (views: View[]) =>
  Array.from({ length: Math.ceil(views.length / maxColumns) }, (_, row) =>
    views.slice(row * maxColumns, (row + 1) * maxColumns),
  )

function gallery(): string {
  const lines = [
    '# Screens',
    '',
    'Every screen and state, taken from the running application by `npm run screens`.',
    '',
  ]
  for (const state of states) {
    lines.push(`## ${state.title}`, '')
    for (const row of rowsOf(state.views)) {
      lines.push(`| ${row.map(({ title }) => title).join(' | ')} |`, `|${'---|'.repeat(row.length)}`)
      lines.push(`| ${row.map((view) => `![${state.title}, ${view.title}](${fileOf(state, view)})`).join(' | ')} |`, '')
    }
  }
  return lines.join('\n')
}

const only = process.argv.slice(2)
await ensureBuild()
if (only.length === 0) await rm(join(docs, folder), { recursive: true, force: true })
await mkdir(join(docs, folder), { recursive: true })
const browser = await launchChromium()
try {
  for (const state of states) {
    if (only.length > 0 && !only.includes(state.id)) continue
    logLine(`taking screenshots: ${state.id}`)
    for (const view of state.views) await takeScreenshot(browser, state, view)
  }
} finally {
  await browser.close()
}
await writeFile(join(docs, 'screens.md'), gallery())
