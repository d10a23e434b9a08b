import { once } from 'node:events'
import type { Writable } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as ws from 'ws'
import { encodeFrames } from './frames.ts'

// Frame parser of ws, which its types do not export.
const { Receiver } = ws as unknown as { Receiver: new (options: object) => Writable }

/** Returns the messages that a WebSocket client reads from these bytes, received in chunks. */
async function decode(bytes: Buffer, chunkBytes = bytes.length): Promise<string[]> {
  const receiver = new Receiver({ isServer: false, skipUTF8Validation: false })
  const messages: string[] = []
  receiver.on('message', (data: Buffer, isBinary: boolean) => messages.push(isBinary ? 'binary' : data.toString()))
  for (let start = 0; start < bytes.length; start += chunkBytes)
    receiver.write(bytes.subarray(start, start + chunkBytes))
  receiver.end()
  await once(receiver, 'finish')
  return messages
}

test.each([
  [1, 2],
  [124, 2],
  [125, 2],
  [126, 4],
  [127, 4],
  [65_535, 4],
  [65_536, 10],
  [65_537, 10],
])('FANOUT-2 a payload of %i bytes has a header of %i bytes', async (payloadBytes, headerBytes) => {
  const packet = 'x'.repeat(payloadBytes - 1)
  const frame = encodeFrames([packet])
  expect(frame).toHaveLength(headerBytes + payloadBytes)
  expect(await decode(frame)).toStrictEqual([`4${packet}`])
})

test('FANOUT-2 the header counts bytes, not characters', async () => {
  for (const packet of ['é'.repeat(63), '😀'.repeat(32), '文'.repeat(30_000)]) {
    expect(await decode(encodeFrames([packet]))).toStrictEqual([`4${packet}`])
  }
})

const packet = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.integer({ min: 100, max: 140 }).map((length) => '😀'.repeat(length / 4)),
  fc.integer({ min: 65_500, max: 65_600 }).map((length) => 'x'.repeat(length)),
)
const somePackets = fc.array(packet, { maxLength: 8 })

test('FANOUT-2 a client reads packets from one buffer in order, however the buffer is split', async () => {
  await fc.assert(
    fc.asyncProperty(somePackets, fc.integer({ min: 1, max: 70_000 }), async (packets, chunk) => {
      const bytes = encodeFrames(packets)
      const chunkBytes = Math.max(chunk, Math.ceil(bytes.length / 1_000))
      expect(await decode(bytes, chunkBytes)).toStrictEqual(packets.map((text) => `4${text}`))
    }),
    { numRuns: 60 },
  )
})

test('FANOUT-2 an empty list of packets has no bytes', () => {
  expect(encodeFrames([])).toHaveLength(0)
})
