import type { ClientToServerEvents } from '../../../contract/events.ts'
import { maxFrameBytes, maxHttpBodyBytes, maxMessageCharacters } from '../../../contract/limits.ts'
import { apiDescriptionPath, callPaths, probes, routes } from '../../../contract/routes.ts'
import { maxWaitingCharacters } from '../../../server/transport/sockets/bounded-decoder.ts'
import { maxPacketsPerPayload } from '../../../server/transport/fast-path/polling-payload.ts'
import { maxFragments } from '../../../server/transport/sockets/web-socket-engine.ts'
import { encodeFrame, opcodes } from '../web-socket-frames.ts'
import type { TurnCostServer } from './turn-cost-server.ts'

/** Name of an input that is the most expensive one of its size for an entry point, and a function that sends this input. */
type EntryPoint = readonly [name: string, run: (server: TurnCostServer) => Promise<void>]

const polling = '/socket.io/?EIO=4&transport=polling'
/** Sizes of a request head, just under its maximum, and of one network read. */
const headBytes = 15_000
const readBytes = 64 * 1_024
const marks = '\u0300\u0315\u031a\u0345'
const stackedMarks = (bytes: number) => `a${marks.repeat(bytes / (2 * marks.length))}`

const call = (method: string, path: string, head: string, body = '') =>
  `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${head}` +
  `${body === '' ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`}\r\n${body}`
const get = (path: string, head = ''): EntryPoint => [
  `GET ${path.slice(0, 40)} ${head.slice(0, 30).trim()}`,
  (server) => server.send(call('GET', path, head)),
]
const post = (name: string, path: string, body: string, type = 'application/json'): EntryPoint => [
  `POST ${path.slice(0, 40)}: ${name}`,
  (server) => server.send(call('POST', path, `Content-Type: ${type}\r\n`, body)),
]
const account = (fields: Record<string, string>) =>
  JSON.stringify({ name: 'walker', email: 'walker@example.org', password: 'correct horse', ...fields })
const filled = (begin: string, unit: string, end: string, bytes: number) =>
  begin + unit.repeat(Math.floor((bytes - begin.length - end.length) / Buffer.byteLength(unit))) + end

const calls: EntryPoint[] = callPaths.flatMap((path) => [
  post('a name of stacked marks', path, account({ name: stackedMarks(maxHttpBodyBytes - 200) })),
  post('an e-mail address of dots', path, account({ email: `${'a.'.repeat(4_000)}@${'b.'.repeat(3_900)}c` })),
  post('a password of everything', path, account({ password: '\u{1f600}'.repeat(4_000) })),
  post('nested lists', path, '['.repeat(maxHttpBodyBytes)),
  post('thousands of fields', path, filled('{', '"a":0,', '"a":0}', maxHttpBodyBytes)),
  post('a body too large', path, 'x'.repeat(maxHttpBodyBytes * 4)),
])

const pages: EntryPoint[] = [
  ...[
    ...new Set([...Object.values(routes), ...callPaths, ...Object.values(probes), apiDescriptionPath, '/nowhere']),
  ].map((path) => get(path, 'Accept: text/html\r\n')),
  get(`/${'a/'.repeat(headBytes / 2)}`),
  get(`/assets/${'%2e'.repeat(headBytes / 3)}`),
  get(routes.users, `Authorization: Bearer ${'x'.repeat(headBytes)}\r\n`),
  ...['Accept-Encoding', 'If-None-Match', 'Accept', 'X-Forwarded-For', 'Cookie', 'Range'].map((name) =>
    get(routes.room, `${name}: ${'a;q=0,'.repeat(headBytes / 6)}\r\n`),
  ),
  get(routes.room, 'a:b\r\n'.repeat(headBytes / 5)),
  ['requests all at once', (server) => server.send('GET / HTTP/1.1\r\nHost:a\r\n\r\n'.repeat(readBytes / 26))],
  [
    'a body byte by byte',
    (server) =>
      server.send(
        `POST /login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n` +
          '1\r\nx\r\n'.repeat(readBytes / 6),
      ),
  ],
]

/** Returns an input that posts a body as the payload of a polling session in the room. */
const payload = (name: string, body: string): EntryPoint => [
  `polling: ${name}`,
  async (server) => {
    const opened = await (await fetch(server.url + polling)).text()
    const path = `${polling}&sid=${(JSON.parse(opened.slice(1)) as { sid: string }).sid}`
    await server.send(call('POST', path, '', '40'))
    await server.takeWorstTurnMs()
    await server.send(call('POST', path, 'Content-Type: text/plain\r\n', body))
  },
]

const engine: EntryPoint[] = [
  get(`${polling}&${'a&'.repeat(headBytes / 2)}`),
  get(`${polling}&sid=${'%'.repeat(headBytes)}`),
  get(polling, `Origin: http://${'a.'.repeat(headBytes / 2)}\r\n`),
  payload('as many packets as it may', Array<string>(maxPacketsPerPayload).fill('42["no such event"]').join('\x1e')),
  payload('packets without number', '3\x1e'.repeat(maxFrameBytes / 2 - 1)),
  payload('nested lists', `42["send_message",${'['.repeat(maxFrameBytes - 100)}`),
]

const frames = (name: string, bytes: Buffer, auth = ''): EntryPoint => [
  `frames: ${name}`,
  (server) => server.sendFrames(bytes, auth),
]
const many = (frame: Buffer) => Buffer.concat(Array<Buffer>(Math.floor(readBytes / frame.length)).fill(frame))
const event = (...args: unknown[]) => encodeFrame(opcodes.text, `42${JSON.stringify(args)}`)
const large = (begin: string, unit: string, end: string) =>
  encodeFrame(opcodes.text, filled(begin, unit, end, maxFrameBytes - 16))
const message = (fields: Record<string, unknown>) => ({ username: 'a', message: 'b', createdTime: 1, ...fields })

const oneMessage = (fields: Record<string, unknown>) => event('send_message', message(fields))
const mute = { type: 'mute', senderOf: 1, minutes: null }

/** Most expensive inputs of each event. A new event without inputs is a type error. */
const eventInputs: Readonly<Record<keyof ClientToServerEvents, readonly [EntryPoint, ...EntryPoint[]]>> = {
  send_message: [
    frames('messages', many(oneMessage({}))),
    frames('lists within lists', large('42["send_message",', '[', '')),
    frames('thousands of arguments', large('42["send_message"', ',0', ']')),
    frames('thousands of fields', large('42["send_message",{', '"a":0,', '"a":0}]')),
    frames('a name of stacked marks', oneMessage({ username: stackedMarks(maxFrameBytes - 200) })),
    frames('a text of stacked marks', oneMessage({ message: stackedMarks(maxMessageCharacters * 2) })),
    frames('a text too long', oneMessage({ message: 'x'.repeat(maxFrameBytes - 200) })),
  ],
  resume: [frames('resume', many(event('resume', { epoch: 'x', seq: 0 })))],
  'online-users-resync': [frames('resync', many(event('online-users-resync')), '{"channel":"presence"}')],
  moderate: [
    frames('actions', many(event('moderate', { type: 'overview' }))),
    frames('an action with thousands of seqs', large('42["moderate",{"type":"remove","seqs":[', '1,', '1]}]')),
    frames('an action with thousands of fields', large('42["moderate",{"type":"mute",', '"a":0,', '"a":0}]')),
    frames('an action with a long reason', event('moderate', { ...mute, reason: '\u{1f600}'.repeat(3_000) })),
  ],
}

const webSocket: EntryPoint[] = [
  frames('pings', many(encodeFrame(opcodes.ping))),
  frames('pongs', many(encodeFrame(opcodes.pong))),
  frames('messages of one byte', many(encodeFrame(opcodes.text, '3'))),
  frames('fragments', many(encodeFrame(opcodes.continuation, '', { isFinal: false })).subarray(0, maxFragments * 6)),
  frames('unknown events', many(event('x'))),
  frames('an id of digits', large('42', '9', '["x"]')),
  frames('an auth of everything', Buffer.alloc(0), filled('{"cursor":[', '{},', '0]}', maxWaitingCharacters - 2)),
  ...Object.values(eventInputs).flat(),
]

export const entryPoints: readonly EntryPoint[] = [...pages, ...calls, ...engine, ...webSocket]
