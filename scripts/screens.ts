import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser } from '@playwright/test'
import { smallScreenBreakpointPx } from '../contract/constants.ts'
import { launchChromium } from './chromium.ts'
import { ensureBuild } from './ensure-build.ts'
import { setStage } from './screens/stage.ts'
import { type State, states } from './screens/states.ts'
import { root, say } from './steps.ts'

const docs = join(root, 'docs')
const folder = 'screens'
const sizes = [
  { width: 390, height: 780 },
  { width: 820, height: 900 },
  { width: 1440, height: 900 },
]
const schemes = ['light', 'dark'] as const

type Size = (typeof sizes)[number]
type Scheme = (typeof schemes)[number]

const fileOf = (state: State, { width }: Size, scheme: Scheme) => `${folder}/${state.id}-${width}-${scheme}.png`

const sizesOf = (state: State) =>
  state.narrowOnly === true ? sizes.filter(({ width }) => width < smallScreenBreakpointPx) : sizes

async function take(browser: Browser, state: State, size: Size, scheme: Scheme, file: string) {
  // Some states end the server: each picture has one of its own.
  const stage = await setStage(browser)
  try {
    const page = await stage.open({
      viewport: size,
      colorScheme: scheme,
      reducedMotion: 'reduce',
      locale: 'en-US',
      timezoneId: 'Europe/Berlin',
    })
    page.on('dialog', (dialog) => void dialog.accept())
    await state.show(page, stage)
    await page.mouse.move(0, 0)
    await page.screenshot({ path: join(docs, file), animations: 'disabled', caret: 'hide' })
    await page.context().close()
  } finally {
    await stage.close()
  }
}

function gallery(): string {
  const lines = [
    '# Screens',
    '',
    'Every screen and state, taken from the running application by `npm run screens`.',
    '',
  ]
  for (const state of states) {
    lines.push(`## ${state.title}`, '')
    const shown = sizesOf(state)
    lines.push(`| | ${shown.map(({ width }) => `${width} px`).join(' | ')} |`, `|---|${'---|'.repeat(shown.length)}`)
    for (const scheme of schemes) {
      const pictures = shown.map(
        (size) => `![${state.title}, ${size.width} px, ${scheme}](${fileOf(state, size, scheme)})`,
      )
      lines.push(`| ${scheme} | ${pictures.join(' | ')} |`)
    }
    lines.push('')
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
    say(`taking ${state.id}`)
    for (const size of sizesOf(state)) {
      for (const scheme of schemes) await take(browser, state, size, scheme, fileOf(state, size, scheme))
    }
  }
} finally {
  await browser.close()
}
await writeFile(join(docs, 'screens.md'), gallery())
