import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { onlinePanelMaxHeightRem, smallScreenBreakpointPx } from '../../contract/constants.ts'

const styles = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8')

test('NAV-4 style sheet and script use the same breakpoint', () => {
  expect(styles('./theme.css')).toContain(`--breakpoint-wide: ${smallScreenBreakpointPx}px;`)
})

test('CHAT-2 style sheet and script use the same maximum height of the online panel', () => {
  expect(styles('../room/online/online.css')).toContain(`max-height: ${onlinePanelMaxHeightRem}rem;`)
})

const physicalDirection =
  /(?<![\w-])(?:border|padding|margin)-(?:left|right)\b|[;{]\s*(?:left|right):|(?:text-align|float):\s*(?:left|right)|(?<=['"`\s:])-?(?!right-to-left|left-to-right)(?:[pm][lr]|left|right|(?:border|rounded)-[lr])-[\w.[\]/]+|(?<=['"`\s:])text-(?:left|right)\b/g

test('LAYOUT-11 styles use logical directions only, so a right-to-left page is mirrored', () => {
  const folder = new URL('..', import.meta.url).pathname
  const found = globSync('**/*.{css,tsx}', { cwd: folder }).flatMap((file) =>
    (styles(`../${file}`).match(physicalDirection) ?? []).map((style) => `${file}: ${style.trim()}`),
  )
  expect(found).toEqual([])
  expect('{ left: 0 } .a { border-right: 0 } "ml-2 text-left hover:pr-[2px]"'.match(physicalDirection)).toHaveLength(5)
})
