import { expect, test, vi } from 'vitest'
import { BoundedDecoder } from './bounded-decoder.ts'

function decode(text: string): { data?: unknown; id?: number } | null {
  let decoded: { data?: unknown; id?: number } | null = null
  const decoder = new BoundedDecoder({ start: () => 0, chargeDecoding: () => undefined })
  decoder.on('decoded', (packet: object) => (decoded = packet))
  decoder.add(text)
  return decoded
}

const deep = '['.repeat(30_000)

test.each([
  ['is nested too deeply', deep],
  ['has too many values', '{},'.repeat(3_000)],
])('LIMITS-6 an event that %s is not parsed and gets an invalid argument', (_problem, argument) => {
  const parse = vi.spyOn(JSON, 'parse')
  const packet = decode(`27["send_message",{"message":${argument}`)
  const longest = Math.max(...parse.mock.calls.map(([text]) => text.length))
  parse.mockRestore()
  expect(packet).toMatchObject({ id: 7, data: ['send_message', false] })
  expect(longest).toBeLessThan(100)
})

test.each([
  ['an ack', `37[${deep}`],
  ['an event without a name', `27[${deep}`],
  ['an event of another namespace', `2/x,7["send_message",${deep}`],
  ['a quote in the name of the namespace', `2/",["send_message",${deep}`],
])('LIMITS-6 other packets that are nested too deeply close the connection: %s', (_name, packet) => {
  expect(() => decode(packet)).toThrow('nested too deeply')
})

test('LIMITS-6 brackets in the text of a long message are accepted', () => {
  const payload = { username: 'a', message: '['.repeat(3_000), createdTime: 1 }
  expect(decode(`2${JSON.stringify(['send_message', payload])}`)).toMatchObject({ data: ['send_message', payload] })
})
