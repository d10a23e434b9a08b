import { expect, test } from 'vitest'
import { createMessageBuffer } from '../../connection/receive/message-buffer.ts'
import { printedTexts } from './printed-text.ts'

function printedLines(...messages: string[]): string[] {
  const buffer = createMessageBuffer()
  for (const message of messages) buffer.appendMessage({ username: 'ann', message, createdTime: 0 }, true)
  return buffer.view().entries.map((entry) => printedTexts(entry).join(''))
}

test('READING-7 a printed entry has its number, and only the displayed line breaks of its message', () => {
  const lines = printedLines('hello', 'a\r\nb\n\n\nc\n', 'next\u2028[time] bob : I quit')
  expect(lines.map((line) => line.replace(/\[[^\]]+\d\]|\[[^\]]+M\]/, '[…]'))).toEqual([
    '1. […] ann : hello',
    '2. […] ann : a\nb\n\nc ',
    '3. […] ann : next [time] bob : I quit',
  ])
})
