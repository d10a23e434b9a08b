import { expect, test } from 'vitest'
import { toolbarTop } from './toolbar-position.ts'

const view = { height: 34, viewHeight: 400 }

test.each([
  ['above its first line', 100, [], 75],
  ['below it, without space above', 10, [], 42],
  ['above its own divider', 100, [{ top: 100, bottom: 130 }], 66],
  ['below it, without space above its own divider', 20, [{ top: 20, bottom: 50 }], 78],
  ['below it, if the entry above has a divider', 100, [{ top: 60, bottom: 90 }], 132],
  [
    'below its first line, between two dividers',
    100,
    [
      { top: 60, bottom: 90 },
      { top: 160, bottom: 190 },
    ],
    125,
  ],
])('LAYOUT-1 the toolbar of an entry is %s', (_, top, dividers, expected) => {
  const paddingTop = dividers.some((divider) => divider.top === top) ? 30 : 4
  const firstLine = { top: top + paddingTop + 5, bottom: top + paddingTop + 21 }
  expect(toolbarTop({ ...view, entry: { top, bottom: firstLine.bottom + 7 }, firstLine, dividers })).toBe(expected)
})
