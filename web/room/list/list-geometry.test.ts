import { expect, test } from 'vitest'
import { keyOf } from './list-geometry.ts'

const element = (key: string | null) => ({ getAttribute: () => key }) as unknown as Element

test('READING-2 a child of the message list that is not an entry is an error', () => {
  expect(keyOf(element('7'))).toBe(7)
  expect(() => keyOf(element(null))).toThrow('message list: a child is not an entry')
})
