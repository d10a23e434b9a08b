import { events } from '../../../contract/events.ts'
import type { Random } from '../../faults/random.ts'

const texts = [
  '', ' ', 'hello', 'bob', 'bob (not loggedin)', '(NOT LOGGEDIN)', ' : ', '\u0000', '\u202ebob', '\u200b', '\ud800', '\udc00',
  '\u{1f600}', '__proto__', 'constructor', 'toString', '<script>alert(1)</script>', '${7*7}', "' OR 1=1 --", '../../etc/passwd',
  '\r\nX-Injected: 1', '%s%n', '\\', '"', 'null', '-1', '1e999', 'a\u0301'.repeat(30), 'x'.repeat(65), 'x'.repeat(4_001),
  '\ufdfa'.repeat(64), '\u1100\u1161\u11a8'.repeat(70), '\ufeff', '\u2028', '\u0903', 'e\u0300'.repeat(500),
] // prettier-ignore
const numbers = [0, -0, 1, -1, 0.5, 1e21, 8.64e15, 8.64e15 + 1, -1e308, 2 ** 53, 2 ** 31, 1_700_000_000_000]
const keys = [
  'username',
  'message',
  'createdTime',
  'id',
  'after',
  'epoch',
  'seq',
  'token',
  'channel',
  '__proto__',
  'length',
  '',
]

const units = [
  'a', ' ', '\u0301', '\u0301\u0323', '\ufdfa', '\u3300', '(not loggedin)', '(№t㏒ged㏌)', ':', ' :', '[', '{"a":', '"a":0,', '"', '\\', '\u{1f600}',
  'http://a', '&', 'a=b&', '%20', '/', '../', '.', ',', ';q=0,', '\u200b', '\u3000', '\n', '\x1e', '3\x1e', '1.1.1.1,', '\u0001', 'a: b\r\n',
] // prettier-ignore

/** Returns a text of a few repeated pieces. The text reveals work that grows faster than its input. */
export function longText(random: Random): string {
  const pieces = Array.from({ length: random.whole(1, 3) }, () =>
    random.pick(units).repeat(random.whole(1, random.pick([50, 500, 5_000]))),
  )
  return pieces.join('').slice(0, random.pick([500, 15_000, 60_000]))
}

export function anyText(random: Random): string {
  if (random.chance(0.02)) return longText(random)
  if (random.chance(0.7)) return random.pick(texts)
  const codes = Array.from({ length: random.whole(0, 40) }, () => random.whole(0, random.pick([0x7f, 0xffff, 0xffff])))
  return String.fromCharCode(...codes)
}

export function anyBytes(random: Random, maxLength: number): Buffer {
  return Buffer.from(Array.from({ length: random.whole(0, maxLength) }, () => random.whole(0, 255)))
}

function uuid(random: Random): string {
  const digits = Array.from({ length: 32 }, () => random.whole(0, 15).toString(16)).join('')
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** Returns any JSON value, sometimes deep or wide. */
export function anyValue(random: Random, depth = 0): unknown {
  const kind = depth > 5 ? random.whole(0, 4) : random.whole(0, 7)
  if (kind === 0) return null
  if (kind === 1) return random.chance(0.5)
  if (kind === 2) return random.pick(numbers)
  if (kind <= 4) return anyText(random)
  const size = random.whole(0, random.chance(0.02) ? 3_000 : 5)
  const next = size > 10 ? 9 : depth + 1
  if (kind === 5) return Array.from({ length: size }, () => anyValue(random, next))
  return Object.fromEntries(Array.from({ length: size }, () => [random.pick(keys), anyValue(random, next)]))
}

/** Returns a message, valid or with a few invalid fields, or sometimes any JSON value. */
function anyMessage(random: Random): unknown {
  const message: Record<string, unknown> = {
    username: 'alice',
    message: `hello ${random.whole(0, 1e9)}`,
    createdTime: 1,
  }
  if (random.chance(0.4)) message['username'] = anyText(random)
  if (random.chance(0.4)) message['message'] = anyText(random)
  if (random.chance(0.3)) message[random.pick(keys)] = anyValue(random)
  if (random.chance(0.1)) delete message[random.pick(keys)]
  return random.chance(0.85) ? message : anyValue(random)
}

function anyOptions(random: Random): unknown {
  const cursor = { epoch: anyText(random), seq: random.pick(numbers) }
  const options: Record<string, unknown> = { id: random.chance(0.8) ? uuid(random) : anyText(random) }
  if (random.chance(0.3)) options['after'] = random.chance(0.5) ? cursor : anyValue(random)
  return random.chance(0.8) ? options : anyValue(random)
}

/** Returns an event with arguments, mostly with a known name. */
export function anyEvent(random: Random): unknown[] {
  const known = random.chance(0.7) ? events.sendMessage : random.pick(Object.values(events))
  const event = random.chance(0.95) ? known : anyText(random)
  if (event === events.resume && random.chance(0.7)) {
    return [event, random.chance(0.8) ? { epoch: anyText(random), seq: random.pick(numbers) } : anyValue(random)]
  }
  const args = random.chance(0.8) ? [anyMessage(random)] : []
  if (random.chance(0.4)) args.push(anyOptions(random))
  while (random.chance(0.1)) args.push(anyValue(random))
  return [event, ...args]
}

/** Changes, cuts, doubles or inserts some characters. */
export function garble(random: Random, text: string): string {
  let garbled = text
  for (let i = random.whole(0, 3); i > 0; i--) {
    const at = random.whole(0, garbled.length)
    const piece = random.pick([
      '',
      anyText(random),
      random.chance(0.1) ? longText(random) : ']',
      '{',
      '[',
      '"',
      ',',
      '\u0000',
      garbled.slice(0, 20),
    ])
    garbled = garbled.slice(0, at) + piece + garbled.slice(random.chance(0.5) ? at : at + random.whole(0, 10))
  }
  return garbled
}
