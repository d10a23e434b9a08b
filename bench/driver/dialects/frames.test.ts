import { expect, test } from 'vitest'
import { maskedFrame, plainFrame, parseFrames } from './frames.ts'
import { messageText, readId } from '../message-text.ts'

test('BENCH-1 the parser finds frames of every length, wherever the stream is split', () => {
  const payloads = ['', 'a', 'b'.repeat(125), 'c'.repeat(126), 'd'.repeat(40_000), 'e']
  const stream = Buffer.concat(payloads.map((payload) => plainFrame(payload)))
  for (const cut of [0, 1, 2, 3, 5, 128, 130, 131, 260, 300, stream.length - 1, stream.length]) {
    const seen: string[] = []
    const collect = (_context: null, _opcode: number, buffer: Uint8Array, start: number, end: number) => {
      seen.push(Buffer.from(buffer.subarray(start, end)).toString())
    }
    const used = parseFrames(stream, cut, null, collect)
    const rest = stream.subarray(used)
    expect(parseFrames(rest, rest.length, null, collect)).toBe(rest.length)
    expect(seen).toEqual(payloads)
  }
})

test('BENCH-1 a client frame has a non-zero masking key and unmasks to its payload', () => {
  const frame = maskedFrame('hello')
  const key = frame.subarray(2, 6)
  expect(frame[1]).toBe(0x80 | 5)
  expect(key.some((byte) => byte !== 0)).toBe(true)
  expect(Buffer.from(frame.subarray(6).map((byte, index) => byte ^ key[index & 3]!)).toString()).toBe('hello')
})

test('BENCH-1 a message text has the requested length and contains its id', () => {
  for (const id of [0, 7, 12_345_678, 99_999_999]) {
    const text = messageText(id, 60)
    expect(text).toHaveLength(60)
    expect(readId(Buffer.from(text), 0)).toBe(id)
  }
})
