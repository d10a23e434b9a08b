import { expect, test } from 'vitest'
import { newerApisIn } from '../../scripts/check/browser-apis.ts'

test.each([
  ['const url = URL.parse(text)', ['URL.parse']],
  ['const signal = AbortSignal.any([one, other])', ['AbortSignal.any']],
  ['new Observable(subscriber)', ['Observable']],
  ['if (element.checkVisibility()) show()', ['Element.checkVisibility']],
])('BROWSERS-1 the check finds a newer API: %s', (source, names) => {
  expect(newerApisIn(source)).toEqual(names)
})

test.each([
  'JSON.parse(text)',
  'new URL(text)',
  'new ResizeObserver(reveal)',
  'window.requestAnimationFrame(draw)',
  '// URL.parse is newer',
  '/** `URL.parse` is newer. */',
])('BROWSERS-1 the check accepts an API that every supported browser has: %s', (source) => {
  expect(newerApisIn(source)).toEqual([])
})
