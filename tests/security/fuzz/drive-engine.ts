import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Random } from '../../faults/random.ts'
import { encodeFrame, opcodes, upgradeRequest, webSocketPath } from '../web-socket-frames.ts'
import { authCase, frameCase } from './cases.ts'
import { openSocket, sessionIdIn, within } from './drivers.ts'
import { engineRequest, payloadCase } from './engine-cases.ts'

const polling = '/socket.io/?EIO=4&transport=polling'
const rememberedSessions = 40

/** Creates a list of the newest session ids. Most sessions are closed, some belong to other running cases. */
export function createRecentSessions() {
  const ids: string[] = []
  return {
    ids,
    add(id: string): void {
      ids.push(id)
      if (ids.length > rememberedSessions) ids.shift()
    },
  }
}

type RecentSessions = ReturnType<typeof createRecentSessions>
type Connection = ReturnType<typeof openSocket>

const post = (sid: string, body: string) =>
  `POST ${polling}&sid=${sid} HTTP/1.1\r\nHost: x\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

/** Sends some pipelined requests on one TCP connection, sometimes with a turn of the event loop between two writes. */
export async function driveEngineRequests(port: number, random: Random, { ids }: RecentSessions): Promise<number> {
  const requests = Array.from({ length: random.whole(1, 4) }, () => engineRequest(random, ids))
  const { socket, closed } = openSocket(port)
  for (const request of requests) {
    socket.write(request)
    if (random.chance(0.5)) await nextTurn()
  }
  finish(random, socket)
  await within(`the requests ${JSON.stringify(requests.map(String)).slice(0, 1_500)}`, closed)
  return requests.length
}

/**
 * Opens a session and runs some of its steps (join, poll, post, upgrade, probe, close, reset) in a usual or random
 * order.
 */
export async function driveSession(port: number, random: Random, sessions: RecentSessions): Promise<number> {
  const sid = await openSession(port)
  if (sid === null) return 1
  sessions.add(sid)
  const connections: Connection[] = []
  let webSocket: Connection | null = null
  const resetConnections = new Set<Connection>()

  /** Resets the TCP connection as soon as it is established, instead of closing it gracefully. */
  function reset(connection: Connection): void {
    resetConnections.add(connection)
    const { socket } = connection
    if (socket.connecting) socket.once('connect', () => socket.resetAndDestroy())
    else socket.resetAndDestroy()
  }

  function open(bytes: string | Buffer): Connection {
    const connection = openSocket(port)
    connections.push(connection)
    connection.socket.write(bytes)
    return connection
  }

  const steps: Readonly<Record<string, () => void>> = {
    poll: () => open(`GET ${polling}&sid=${sid} HTTP/1.1\r\nHost: x\r\n\r\n`),
    pollAndReset: () => reset(open(`GET ${polling}&sid=${sid} HTTP/1.1\r\nHost: x\r\n\r\n`)),
    join: () => open(post(sid, `40${authCase(random)}`)),
    post: () => open(post(sid, payloadCase(random))),
    postHalf: () => open(post(sid, payloadCase(random)).slice(0, -3)),
    postAndReset: () => reset(open(post(sid, payloadCase(random)))),
    close: () => open(post(sid, '1')),
    upgrade: () => {
      webSocket = open(upgradeRequest(`${webSocketPath}&sid=${sid}`))
    },
    probe: () => webSocket?.socket.write(encodeFrame(opcodes.text, '2probe')),
    switch: () => webSocket?.socket.write(encodeFrame(opcodes.text, '5')),
    frame: () => webSocket?.socket.write(frameCase(random)),
    webSocketClose: () => webSocket?.socket.write(encodeFrame(opcodes.close, closeReason(random))),
    webSocketReset: () => {
      if (webSocket !== null) reset(webSocket)
    },
    any: () => open(engineRequest(random, [sid, ...sessions.ids])),
  }
  const ordinary = ['join', 'poll', 'upgrade', 'probe', 'poll', 'switch', 'frame']
  const names = random.chance(0.5)
    ? [...ordinary.slice(0, random.whole(1, ordinary.length)), ...anyOf(random, Object.keys(steps), 3)]
    : anyOf(random, Object.keys(steps), 10)
  for (const name of names) {
    steps[name]?.()
    for (let turns = random.whole(0, 3); turns > 0; turns--) await nextTurn()
  }
  for (const connection of connections) if (!resetConnections.has(connection)) finish(random, connection.socket)
  const what = `the session ${names.join(', ')}`
  await Promise.all(connections.map(({ closed }) => within(what, closed)))
  return names.length
}

function anyOf(random: Random, names: readonly string[], max: number): string[] {
  return Array.from({ length: random.whole(1, max) }, () => random.pick(names))
}

/** Returns a close payload, valid or malformed. */
function closeReason(random: Random): Buffer {
  const codes = [1_000, 1_001, 1_005, 1_006, 999, 4_000, 65_535]
  const code = Buffer.alloc(2)
  code.writeUInt16BE(random.pick(codes))
  const reason = random.pick([Buffer.alloc(0), Buffer.from('bye'), Buffer.from([0xff, 0xfe]), Buffer.alloc(123, 'x')])
  return random.chance(0.9) ? Buffer.concat([code, reason]) : Buffer.from([0])
}

function finish(random: Random, socket: Connection['socket']): void {
  if (random.chance(0.8)) socket.end()
  else socket.destroy()
}

async function openSession(port: number): Promise<string | null> {
  const handshake = await within(
    'a handshake',
    fetch(`http://127.0.0.1:${port}${polling}`).then((response) => response.text()),
  )
  return sessionIdIn(handshake)
}
