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

/** One value of a declaration, with functions up to three levels deep, such as `calc((var(--a) - 1rem) / 2)`. */
const value = String.raw`(?:[^\s;{}()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))+`
/** Shorthand of four sides whose right and left side differ. */
const physicalShorthand = new RegExp(
  String.raw`(?<![\w-])(?:inset|margin|padding|border-(?:width|style|color)):\s*${value}\s+(${value})\s+${value}\s+(?!\1\s*[;}])${value}\s*[;}]`,
  'g',
)

test('LAYOUT-11 styles use logical directions only, so a right-to-left page is mirrored', () => {
  const folder = new URL('..', import.meta.url).pathname
  const found = globSync('**/*.{css,tsx}', { cwd: folder }).flatMap((file) =>
    [physicalDirection, physicalShorthand].flatMap((pattern) =>
      (styles(`../${file}`).match(pattern) ?? []).map((style) => `${file}: ${style.trim()}`),
    ),
  )
  expect(found).toEqual([])
  expect('{ left: 0 } .a { border-right: 0 } "ml-2 text-left hover:pr-[2px]"'.match(physicalDirection)).toHaveLength(5)
  expect(
    'inset: 0 1px 0 auto; padding: 0 calc((1px - var(--a)) / 2) 0 0; inset: 0 1px 0 1px'.match(physicalShorthand),
  ).toHaveLength(2)
})
