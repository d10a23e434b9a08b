import type { Random } from '../../faults/random.ts'
import { upgradeRequest } from '../web-socket-frames.ts'
import { packetCases } from './cases.ts'
import { anyText, garble } from './values.ts'

/** Session ids for a case: its own id, ids of other cases, and ids of closed sessions. */
export type SessionIds = readonly string[]

const methods = [
  ...Array<string>(12).fill('GET'),
  ...Array<string>(6).fill('POST'),
  'PUT',
  'DELETE',
  'OPTIONS',
  'HEAD',
  'PATCH',
  'TRACE',
  'CONNECT',
]
const oddIds = [
  '',
  'x',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  '0',
  'null',
  '%00',
  '%',
  '../..',
  'x'.repeat(2_000),
]
const values: Readonly<Record<string, readonly string[]>> = {
  EIO: [...Array<string>(40).fill('4'), '3', '5', '', '04', '4.0', '__proto__'],
  transport: [
    ...Array<string>(20).fill('polling'),
    ...Array<string>(12).fill('websocket'),
    'webtransport',
    'POLLING',
    '',
    '__proto__',
    'toString',
  ],
  t: ['', 'abc', '0'],
  b64: ['', '1', '0'],
  j: ['', '0', '1)alert(1', '__proto__'],
}
/** Probability that a parameter is present. */
const likelihood: Readonly<Record<string, number>> = { EIO: 0.95, transport: 0.95, sid: 0.6, t: 0.3, b64: 0.1, j: 0.05 }

function idCase(random: Random, ids: SessionIds): string {
  return random.chance(0.6) && ids.length > 0 ? random.pick(ids) : random.pick(oddIds)
}

/**
 * Probability of an invalid parameter. It is lowest for `EIO` and `transport`, because the server reports only the
 * first error of a request.
 */
const mistakes: Readonly<Record<string, number>> = { EIO: 0.05, transport: 0.05, sid: 0.4, t: 0.3, b64: 0.3, j: 0.3 }

/**
 * Returns one parameter: usual, empty, without a value, doubled, as a list, in upper case, or with any text as its
 * value.
 */
function parameterCase(random: Random, name: string, ids: SessionIds): string[] {
  const value = () => (name === 'sid' ? idCase(random, ids) : random.pick(values[name] ?? ['']))
  const form = random.chance(mistakes[name] ?? 0) ? random.whole(0, 5) : 6
  if (form === 0) return [`${name}=`]
  if (form === 1) return [name]
  if (form === 2) return [`${name}=${value()}`, `${name}=${value()}`]
  if (form === 3) return [`${name}[]=${value()}`]
  if (form === 4) return [`${name.toUpperCase()}=${value()}`]
  if (form === 5) return [`${name}=${encodeURIComponent(anyText(random).toWellFormed())}`]
  return [`${name}=${value()}`]
}

/** Returns the path and query of a request to Engine.IO. */
function engineTarget(random: Random, ids: SessionIds): string {
  const names = Object.keys(likelihood).filter((name) => random.chance(likelihood[name] ?? 0))
  const parameters = random.shuffle(names).flatMap((name) => parameterCase(random, name, ids))
  const query = parameters.join(random.chance(0.97) ? '&' : random.pick(['&&', ';', '?', '#']))
  return `/socket.io/${random.chance(0.97) ? '?' : random.pick(['', '??', 'x?', '/?'])}${query}`
}

/** Returns the packets of a polling request, with valid or invalid separators. */
export function payloadCase(random: Random): string {
  const packets = packetCases(random, 5).map((packet) =>
    typeof packet === 'string' ? packet : `b${packet.toString('base64')}`,
  )
  const separator = random.chance(0.9) ? '\x1e' : random.pick(['', '\x1e\x1e', '\x1f', '\n'])
  const text = [...packets, ...(random.chance(0.3) ? [random.pick(['1', '2', '2probe', '3', '5', '6', ''])] : [])].join(
    separator,
  )
  return random.chance(0.2) ? garble(random, text) : text
}

/** Returns a request to Engine.IO: an upgrade, or any method and body. */
export function engineRequest(random: Random, ids: SessionIds): Buffer {
  const target = engineTarget(random, ids)
  if (random.chance(0.25)) return Buffer.from(upgradeRequest(target))
  const method = random.pick(methods)
  const body = method === 'GET' && random.chance(0.9) ? '' : payloadCase(random)
  const type = random.pick(['text/plain;charset=UTF-8', 'application/octet-stream', 'application/json', ''])
  const head = [`${method} ${target} HTTP/1.1`, 'Host: x', ...(type === '' ? [] : [`Content-Type: ${type}`])]
  if (random.chance(0.1))
    head.push(random.pick(['Expect: 100-continue', 'Connection: close', 'Content-Encoding: gzip']))
  const bytes = Buffer.from(body)
  if (random.chance(0.1)) {
    const chunk = `${bytes.length.toString(16)}\r\n${body}\r\n`
    return Buffer.from(`${[...head, 'Transfer-Encoding: chunked'].join('\r\n')}\r\n\r\n${chunk}0\r\n\r\n`)
  }
  const length = random.chance(0.95) ? bytes.length : random.pick([0, bytes.length + 5, 70_000])
  return Buffer.concat([Buffer.from(`${[...head, `Content-Length: ${length}`].join('\r\n')}\r\n\r\n`), bytes])
}
