import { routes } from '../../../contract/routes.ts'
import type { Random } from '../../faults/random.ts'
import { encodeFrame, opcodes } from '../web-socket-frames.ts'
import { anyBytes, anyEvent, anyText, anyValue, garble } from './values.ts'

const paths = [
  ...Object.values(routes), '/healthz', '/readyz', '/openapi.json', '/assets/x', '/assets/../../x', '/%00', '/%', '//', '/..',
  '/socket.io/?EIO=4&transport=polling', '/socket.io/?EIO=4&transport=websocket', '/socket.io/?EIO=3&transport=polling',
  '/socket.io/?EIO=4&transport=polling&sid=x', '/socket.io/', '/socket.io', '*', 'http://evil.example/', '/?__proto__[x]=1',
] // prettier-ignore
const methods = [
  'GET',
  'POST',
  'POST',
  'POST',
  'PUT',
  'DELETE',
  'OPTIONS',
  'HEAD',
  'PATCH',
  'TRACE',
  'get',
  'G\u0001T',
  '',
]
const headers = [
  'Content-Type: application/json', 'Content-Type: text/plain', 'Content-Type: application/json; charset=utf-16',
  'Transfer-Encoding: chunked', 'Content-Length: 3', 'Content-Length: -1', 'Content-Length: 99999999999', 'Expect: 100-continue',
  'Authorization: Bearer x', `Authorization: Bearer ${'x'.repeat(5_000)}`, 'Authorization: Basic eDp4', 'Accept: text/html',
  'Origin: https://evil.example', 'Origin: null', 'Upgrade: websocket\r\nConnection: Upgrade', 'X-Forwarded-For: 1.2.3.4',
  'Sec-WebSocket-Key: x', 'Sec-WebSocket-Version: 13', 'Accept-Encoding: br, gzip, *;q=0', 'Range: bytes=0-1,5-2',
  'If-None-Match: *', 'Cookie: a=b', 'Connection: close', 'Connection: keep-alive, Upgrade', 'Content-Encoding: gzip',
] // prettier-ignore

/** Returns an HTTP request as bytes, valid or malformed. */
export function httpCase(random: Random): Buffer {
  const call = { name: anyText(random), email: 'a@b.c', password: anyText(random), [anyText(random)]: anyValue(random) }
  const value = random.chance(0.7) ? call : anyValue(random)
  const body = random.chance(0.6) ? JSON.stringify(value) : garble(random, JSON.stringify(value) ?? '')
  const extra = Array.from({ length: random.whole(0, 4) }, () => random.pick(headers))
  const length = random.chance(0.8) ? [`Content-Length: ${Buffer.byteLength(body)}`] : []
  const type = random.chance(0.8) ? ['Content-Type: application/json'] : []
  const head = [`${random.pick(methods)} ${random.pick(paths)} HTTP/1.1`, 'Host: x', ...type, ...length, ...extra]
  const text = `${head.join('\r\n')}\r\n\r\n${body}`
  if (random.chance(0.05)) return anyBytes(random, 400)
  return Buffer.from(random.chance(0.15) ? garble(random, text) : text)
}

const anyAck = (random: Random) => (random.chance(0.5) ? random.pick(['0', '7', '99999999999999999999']) : '')

/** Returns an event packet that is valid for Socket.IO. Its content may be invalid. */
function eventCase(random: Random): string {
  return `42${anyAck(random)}${JSON.stringify(anyEvent(random))}`
}

/** Returns a packet that is likely to close its connection. */
function brokenCase(random: Random): string | Buffer {
  const data = JSON.stringify(anyEvent(random))
  const kind = random.whole(0, 4)
  if (kind === 0) return garble(random, `42${anyAck(random)}${data}`)
  if (kind === 1)
    return `4${random.pick(['0', '1', '3', '4', '5', '6', '51-', '52-', '60-', '2/admin,', '0/x,'])}${data}`
  if (kind === 2) return `${random.pick(['0', '1', '2', '3', '5', '6', '7', 'b', '2probe', ''])}${anyText(random)}`
  if (kind === 3) return anyBytes(random, 200)
  const event = random.pick(['error', 'connect', 'disconnect', 'newListener', '__proto__'])
  return `42["${event}",${JSON.stringify(anyValue(random)) ?? 'null'}]`
}

/** Returns the packets of one connection: some events, and sometimes a broken packet at the end. */
export function packetCases(random: Random, max: number): (string | Buffer)[] {
  const packets: (string | Buffer)[] = Array.from({ length: random.whole(1, max) }, () => eventCase(random))
  if (random.chance(0.6)) packets.push(brokenCase(random))
  return packets
}

/** Returns the auth of the CONNECT packet. */
export function authCase(random: Random): string {
  if (random.chance(0.6)) return ''
  const flags = { deltas: random.chance(0.5), positions: random.pick([true, true, false, 'yes', null]) }
  const auth = { channel: random.pick(['messages', 'presence', 'other']), ...flags }
  const value = random.chance(0.5) ? auth : { ...auth, cursor: anyValue(random), token: anyValue(random) }
  return random.chance(0.8) ? JSON.stringify(value) : garble(random, JSON.stringify(value))
}

/** Returns a WebSocket frame as bytes, with a valid or invalid header. */
export function frameCase(random: Random): Buffer {
  if (random.chance(0.2)) return fragmentedCase(random)
  const payload = random.chance(0.6)
    ? Buffer.from(random.chance(0.8) ? eventCase(random) : brokenCase(random))
    : anyBytes(random, 300)
  const opcode = random.chance(0.7) ? opcodes.text : random.whole(0, 15)
  const isFinal = random.chance(0.9)
  const reserved = random.chance(0.95) ? 0 : random.whole(1, 7)
  const isMasked = random.chance(0.95)
  const length = random.chance(0.95) ? payload.length : random.pick([0, 125, 126, 65_535, 65_536, 70_000, 2 ** 31])
  return encodeFrame(opcode, payload, { isFinal, reserved, isMasked, length })
}

/** Returns one fragmented message with empty and control frames, sometimes unfinished or started twice. */
function fragmentedCase(random: Random): Buffer {
  const payload = Buffer.from(eventCase(random))
  const pieces = random.whole(1, random.chance(0.05) ? 200 : 8)
  const frames: Buffer[] = []
  for (let piece = 0; piece < pieces; piece++) {
    const opcode =
      piece === 0 || random.chance(0.02) ? random.pick([opcodes.text, opcodes.binary]) : opcodes.continuation
    const part = payload.subarray((piece * payload.length) / pieces, ((piece + 1) * payload.length) / pieces)
    const isFinal = piece === pieces - 1 && random.chance(0.9)
    frames.push(encodeFrame(opcode, random.chance(0.1) ? '' : part, { isFinal }))
    if (random.chance(0.2)) frames.push(encodeFrame(random.pick([opcodes.ping, opcodes.pong]), anyBytes(random, 125)))
  }
  return Buffer.concat(frames)
}
