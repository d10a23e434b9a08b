import { createRequire } from 'node:module'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as ours from './text-packets.ts'

const original = createRequire(import.meta.resolve('engine.io'))('engine.io-parser') as typeof ours

const packet = fc.record(
  {
    type: fc.constantFrom('open', 'close', 'ping', 'pong', 'message', 'upgrade', 'noop'),
    data: fc.string({ minLength: 1, unit: 'grapheme' }).filter((data) => !data.includes('\u001e')),
  },
  { requiredKeys: ['type'] },
)

const packetText = ({ encodePacket }: typeof ours, sent: { type: string; data?: string }) => {
  let text = ''
  encodePacket(sent, true, (encoded) => (text = encoded))
  return text
}

const payloadText = ({ encodePayload }: typeof ours, sent: { type: string; data?: string }[]) => {
  let text = ''
  encodePayload(sent, (encoded) => (text = encoded))
  return text
}

test('RT-2 RT-3 transport packets are encoded and decoded like in engine.io-parser', () => {
  expect(ours.protocol).toBe(original.protocol)
  fc.assert(
    fc.property(fc.array(packet, { minLength: 1 }), (packets) => {
      const [first] = packets as [(typeof packets)[0]]
      expect(packetText(ours, first)).toBe(packetText(original, first))
      expect(ours.decodePacket(packetText(ours, first))).toEqual(first)
      expect(payloadText(ours, packets)).toBe(payloadText(original, packets))
      expect(ours.decodePayload(payloadText(ours, packets))).toEqual(packets)
    }),
  )
})

test.each(['', '7', ' ', 'x', '-1', 'bAQID', new ArrayBuffer(1)])(
  'RT-3 the transport packet %j is an error, which closes the connection',
  (encoded) => {
    expect(ours.decodePacket(encoded)).toEqual({ type: 'error', data: 'parser error' })
  },
)
