import { routes } from '../../../contract/routes.ts'
import type { Random } from '../../faults/random.ts'
import { encodeFrame, opcodes } from '../web-socket-frames.ts'
import { anyBytes, anyEvent, anyText, anyValue, garble, longText } from './values.ts'

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
  'Expect: x', 'Host: y', 'Sec-Fetch-Site: cross-site', 'Trailer: x', 'a:\r\n b', 'X-Forwarded-Proto: https', 'TE: trailers', 'If-None-Match: *', 'Cookie: a=b', 'Connection: close', 'Connection: keep-alive, Upgrade', 'Content-Encoding: gzip',
] // prettier-ignore

const headerNames = [
  'Accept',
  'Accept-Encoding',
  'Authorization',
  'Cookie',
  'If-None-Match',
  'Origin',
  'Range',
  'X-Forwarded-For',
]

/** Returns a header with a long value. */
const longHeader = (random: Random) =>
  `${random.pick(headerNames)}: ${longText(random)
    .replaceAll(/[^\x20-\x7e]/g, '')
    .slice(0, 15_000)}`

/** Returns a path, sometimes with a long query or a long end. */
function pathCase(random: Random): string {
  const path = random.pick(paths)
  if (random.chance(0.97)) return path
  const end = longText(random).replaceAll(/[^\x21-\x7e]/g, '')
  return `${path}${random.pick(['?', '&', '/', ''])}${end.slice(0, random.pick([100, 2_000, 15_000]))}`
}

/** Returns the body in chunks of one size. */
function chunked(random: Random, body: Buffer): Buffer {
  const size = random.pick([1, 7, 1_000])
  const chunks: Buffer[] = []
  for (let at = 0; at < body.length; at += size) {
    const part = body.subarray(at, at + size)
    chunks.push(
      Buffer.from(`${part.length.toString(16)}${random.chance(0.01) ? ';x=y' : ''}\r\n`),
      part,
      Buffer.from('\r\n'),
    )
  }
  return Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')])
}

/** Returns an HTTP request as bytes, valid or malformed, sometimes repeated. */
export function httpCase(random: Random): Buffer {
  const email = random.chance(0.9) ? 'a@b.c' : anyText(random)
  const call = { name: anyText(random), email, password: anyText(random), [anyText(random)]: anyValue(random) }
  const value = random.chance(0.7) ? call : anyValue(random)
  const body = random.chance(0.6) ? JSON.stringify(value) : garble(random, JSON.stringify(value) ?? '')
  const extra = Array.from({ length: random.whole(0, random.chance(0.98) ? 4 : 300) }, () => random.pick(headers))
  if (random.chance(0.03)) extra.push(longHeader(random))
  const isChunked = random.chance(0.05)
  const length = !isChunked && random.chance(0.8) ? [`Content-Length: ${Buffer.byteLength(body)}`] : []
  if (isChunked) length.push('Transfer-Encoding: chunked')
  const type = random.chance(0.8) ? ['Content-Type: application/json'] : []
  const version = random.chance(0.95) ? '1.1' : random.pick(['1.0', '0.9', '2.0', '1.10'])
  const host = random.chance(0.95) ? ['Host: x'] : []
  const head = [`${random.pick(methods)} ${pathCase(random)} HTTP/${version}`, ...host, ...type, ...length, ...extra]
  const text = `${head.join('\r\n')}\r\n\r\n${body}`
  if (random.chance(0.05)) return anyBytes(random, 400)
  if (isChunked) return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), chunked(random, Buffer.from(body))])
  // Repeat the request in the same write. Browsers do not pipeline requests, but attackers do.
  if (random.chance(0.02)) return Buffer.from(text.repeat(random.whole(2, 200)).slice(0, 65_536))
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

/** Returns a WebSocket frame with a valid or invalid header, or the frames of a fragmented message, as bytes. */
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

/** Returns one fragmented message, sometimes with empty or control frames, unfinished, or started again. */
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
