import { randomBytes, randomInt } from 'node:crypto'
import type { Socket } from 'node:net'
import { maxTypedNameUnits } from '../../../contract/limits.ts'
import { encodeFrame, opcodes } from '../web-socket-frames.ts'
import { polling, pollUntilClosed, repeatedReplays } from './poll.ts'
import { closeTogether, pump, repeat, repeatTogether, type Target } from './target.ts'

const many = (bytes: Buffer, count: number) => Buffer.concat(Array<Buffer>(count).fill(bytes))
const event = (...args: unknown[]) => encodeFrame(opcodes.text, `42${JSON.stringify(args)}`)
const message = (text: string, username = 'a') => event('send_message', { username, message: text, createdTime: 1 })
const nested = encodeFrame(opcodes.text, `42["send_message",${'['.repeat(60_000)}`)
/** Event with as many values as the server parses, and a text that is slow to parse. */
const costlyEvent = event(
  'x',
  Array.from({ length: 120 }, () => ({ a: 1 })),
  '\u0001'.repeat(1_500),
)
const longText = 'x'.repeat(4_000)
const anyName = () => randomBytes(8).toString('hex')
const anyAccount = () => ({ name: anyName(), email: `${anyName()}@example.org`, password: 'correct horse' })
const suffix = '(№t㏒ged㏌)'
/** Name that NFKC expands, followed by many anonymous suffixes in compatibility characters. */
const costlyName = '\ufdfa'.repeat(260) + suffix.repeat(28)
/** Name just within the length limit, both as typed and after normalization. */
const longestName = suffix.repeat(Math.floor(maxTypedNameUnits / suffix.normalize('NFKC').length))
const marks = 'a' + '\u0300\u0315\u031a\u0345'.repeat(1_900)

function cursorIn(text: string): { epoch: string; seq: number } {
  return { epoch: /"cursor",\{"epoch":"([^"]+)"/.exec(text)?.[1] ?? '', seq: 0 }
}

function resumeUnread(socket: Socket, received: () => string): void {
  socket.pause()
  const cursor = cursorIn(received())
  repeat(socket, 50, () => event('resume', cursor))
}

/** Returns a function that requests replays as often as the server allows and reads them. */
const requestReplays =
  (seq: () => number) =>
  (socket: Socket, received: () => string): void => {
    const { epoch } = cursorIn(received())
    socket.resume()
    repeat(socket, 250, () => event('resume', { epoch, seq: seq() }))
  }

const imagesOfAnotherSite = 'images of another site'
/** Attacks that come from the browser of a visitor. They must not affect other users of the same address either. */
export const sharedAddressAttacks: ReadonlySet<string> = new Set([imagesOfAnotherSite])

/** Attacks by name. Each runs until its thread is terminated. */
export const attacks: Readonly<Record<string, (target: Target) => void>> = {
  'probes, seven at a time': (target) => target.sendRequests(300, () => target.request('GET', '/healthz').repeat(7)),
  'thousands of query parameters': (target) =>
    target.sendRequests(100, () => target.request('GET', `/?${'a&'.repeat(7_700)}`)),
  'nested JSON in bodies': (target) =>
    target.sendRequests(100, () =>
      target.request('POST', '/login', 'Content-Type: application/json\r\n', '['.repeat(16_000)),
    ),
  'nested JSON in events': (target) => target.join(20, (socket) => pump(socket, nested)),
  'unknown paths': (target) => target.sendRequests(300, () => target.request('GET', '/nowhere')),
  'pages, read': (target) => target.sendRequests(100, () => target.request('GET', '/')),
  'registrations with a name of 13 KB': (target) =>
    target.sendRequests(100, () => target.post('/register', { ...anyAccount(), name: 'x'.repeat(13_000) })),
  'pongs by polling, without a session': (target) =>
    target.sendRequests(100, () => target.request('POST', `${polling}&sid=none`, '', '3')),
  'empty session ids': (target) => target.sendRequests(20, () => target.request('GET', `${polling}&sid=`)),
  'pipelined requests, responses unread': (target) =>
    target.hold(20, (socket) => pump(socket, target.request('GET', '/login').repeat(200))),
  'pipelined requests without Host': (target) =>
    target.hold(20, (socket) => pump(socket, target.request('GET', '/').replace('Host: x\r\n', '').repeat(1_000))),
  'pipelined requests of HTTP/1.0 without Host': (target) =>
    target.hold(20, (socket) =>
      pump(
        socket,
        target
          .request('GET', '/', 'Connection: keep-alive\r\n')
          .replace('Host: x\r\n', '')
          .replace('1.1', '1.0')
          .repeat(1_000),
      ),
    ),
  'pipelined requests with an unknown Expect': (target) =>
    target.hold(20, (socket) => pump(socket, target.request('GET', '/', 'Expect: x\r\n').repeat(1_000))),
  'resume from the beginning, unread': (target) => target.join(20, resumeUnread, '{"channel":"messages"}'),
  'ping frames, pongs unread': (target) =>
    target.join(20, (socket) => pump(socket, many(encodeFrame(opcodes.ping, 'x'.repeat(100)), 500))),
  'registrations with names of combining marks': (target) =>
    target.sendRequests(20, () => target.post('/register', { ...anyAccount(), name: marks })),
  'full replays, read': (target) =>
    target.join(
      60,
      (socket, received) => {
        socket.write(event('resume', cursorIn(received())))
        setTimeout(() => socket.destroy(), 500)
      },
      '{"channel":"messages"}',
    ),
  'replays at one position': (target) =>
    target.join(
      32,
      requestReplays(() => 0),
      '{"channel":"messages"}',
    ),
  'replays at different positions': (target) =>
    target.join(
      128,
      requestReplays(() => randomInt(700)),
      '{"channel":"messages"}',
    ),
  'replays by polling': (target) => repeatedReplays(target, 64),
  'costly names': (target) => target.join(20, (socket) => pump(socket, message('hi', costlyName))),
  'costly names within the send rate': (target) =>
    target.join(20, (socket) => repeat(socket.resume(), 200, () => message('hi', costlyName))),
  'the longest names within the send rate': (target) =>
    target.join(20, (socket) => repeat(socket.resume(), 200, () => message('hi', longestName))),
  'messages within the send rate': (target) =>
    target.join(20, (socket) => repeat(socket.resume(), 200, () => message('hi'))),
  [imagesOfAnotherSite]: (target) =>
    target.sendRequests(50, () =>
      target.request('GET', polling, 'Sec-Fetch-Site: cross-site\r\nSec-Fetch-Dest: image\r\n'),
    ),
  'events of many connections at once': (target) =>
    target.join(250, (socket) => repeatTogether(socket.resume(), 2_050, () => costlyEvent)),
  'bursts of long messages to all own connections': (target) =>
    target.join(target.maxConnections, (socket) => repeatTogether(socket.resume(), 4_100, () => message(longText))),
  'joining and leaving': (target) => target.join(60, (socket) => void socket.destroy()),
  'connections that left the room': (target) =>
    target.join(300, (socket) => socket.resume().write(encodeFrame(opcodes.text, '41'))),
  'whole online lists': (target) =>
    target.join(
      100,
      (socket) => {
        socket.resume()
        repeat(socket, 250, () => event('online-users-resync'))
      },
      '{"channel":"presence"}',
    ),
  'the longest messages': (target) =>
    target.join(20, (socket) => pump(socket, many(message('\u{1f600}'.repeat(4_000)), 10))),
  'messages of control characters': (target) =>
    target.join(20, (socket) => pump(socket, many(message('\u0001'.repeat(2_500)), 10))),
  'password guesses': (target) =>
    target.sendRequests(50, () => target.post('/login', { name: 'account 0', password: anyName() })),
  registrations: (target) => target.sendRequests(50, () => target.post('/register', anyAccount())),
  'lists of users': (target) =>
    target.sendRequests(20, () => target.request('GET', '/fetchusers', `Authorization: Bearer ${target.token}\r\n`)),
  handshakes: (target) => target.sendRequests(50, () => target.request('GET', polling)),
  'polling connections that close at once': (target) =>
    target.hold(target.maxConnections, (socket) => pollUntilClosed(target, socket)),
  'incomplete requests that close at once': (target) =>
    target.hold(target.maxTcpConnections, (socket) => {
      socket.write(target.request('POST', '/login', 'Content-Type: application/json\r\nContent-Length: 200\r\n') + '{')
      closeTogether(socket, 2_100)
    }),
  'idle connections': (target) => target.join(300, () => undefined),
  'fragments of one byte': (target) =>
    target.join(50, (socket) => pump(socket, many(encodeFrame(opcodes.text, 'x', { isFinal: false }), 1))),
  'bodies in chunks of one byte': (target) =>
    target.hold(20, (socket) =>
      pump(
        socket,
        `${target.request('POST', '/login', 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n')}${'1\r\nx\r\n'.repeat(5_000)}`,
      ),
    ),
  'unknown events': (target) => target.join(20, (socket) => pump(socket, many(event('x'), 500))),
}
