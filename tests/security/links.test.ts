import fc from 'fast-check'
import { expect, test } from 'vitest'
import { containsLink } from '../../server/moderation/filter/links.ts'
import { findLinks } from '../../web/room/entry/links.ts'

const parts =
  'é 中 א 1 _ / . - : @ # ? [::1] 127.0.0.1 evil evil.zip intranet xn--e1afmkfd http:// https:// HTTPS:// www. \u0301 \u200b \u3002 ％ \u00a0'
const some = fc.array(fc.constantFrom(' ', ...parts.split(' ')), { maxLength: 4 }).map((list) => list.join(''))
const text = fc.tuple(some, fc.constantFrom('http://', 'https://', 'HTTPS://'), some).map((all) => all.join(''))

test('MODERATION-16 every text in which the page shows a link counts as a text with a link', () => {
  let linked = 0
  fc.assert(
    fc.property(text, (message) => {
      if (findLinks(message).length === 0) return
      linked++
      expect(containsLink(message), JSON.stringify(message)).toBe(true)
    }),
    { numRuns: 20_000 },
  )
  expect(linked).toBeGreaterThan(1_000)
})
