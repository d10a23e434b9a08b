import fc from 'fast-check'
import * as original from 'socket.io-parser'
import { expect, test } from 'vitest'
import * as ours from './text-parser.ts'

const { PacketType } = original
type Parser = Pick<typeof original, 'Decoder'> | Pick<typeof ours, 'Decoder'>

function decode({ Decoder }: Parser, text: string): unknown {
  const decoder = new Decoder()
  let decoded: unknown = 'nothing'
  decoder.on('decoded', (packet: unknown) => (decoded = packet))
  decoder.add(text)
  return decoded
}

const json = fc.jsonValue()
const event = fc.tuple(fc.constantFrom('recive_message', 'online-users', 'ü,1[{"'), json, json)
const packet = fc.record(
  {
    type: fc.constantFrom(PacketType.EVENT, PacketType.ACK),
    nsp: fc.constantFrom('/', '/other'),
    data: event,
    id: fc.nat(),
  },
  { requiredKeys: ['type', 'nsp', 'data'] },
)
const signal = fc.oneof(
  fc.record({
    type: fc.constantFrom(PacketType.CONNECT, PacketType.CONNECT_ERROR),
    nsp: fc.constant('/'),
    data: fc.dictionary(fc.string(), json),
  }),
  fc.constant({ type: PacketType.DISCONNECT, nsp: '/' }),
  fc.constant({ type: PacketType.CONNECT, nsp: '/' }),
)

test('RT-2 RT-3 packets are encoded and decoded like in socket.io-parser', () => {
  fc.assert(
    fc.property(fc.oneof(packet, signal), (sent) => {
      const texts = new original.Encoder().encode(sent)
      expect(new ours.Encoder().encode(sent)).toEqual(texts)
      const [text] = texts as [string]
      expect(decode(ours, text)).toEqual(decode(original, text))
    }),
    { numRuns: 2_000 },
  )
})

test.each(['', '9', '2', '2{}', '2[', '2[1]', '3{}', '51-["binary",{"_placeholder":true,"num":0}]', 'x[]'])(
  'RT-3 the decoder throws on %j, which closes the connection',
  (text) => {
    expect(() => decode(ours, text)).toThrow()
  },
)
