import { expect, test } from 'vitest'
import { visibleRows } from './visible-rows.ts'

test('CHAT-2 a short list is rendered completely', () => {
  expect(visibleRows(100, 28, 0, 256)).toEqual({ from: 0, to: 100 })
})

test('CHAT-2 a list of ten thousand renders only the rows near the viewport', () => {
  expect(visibleRows(10_000, 28, 0, 256)).toEqual({ from: 0, to: 20 })
  expect(visibleRows(10_000, 28, 28_000, 256)).toEqual({ from: 990, to: 1_020 })
})

test('CHAT-2 a list that shrank below the scroll position shows its end', () => {
  expect(visibleRows(200, 28, 28_000, 280)).toEqual({ from: 180, to: 200 })
})
