import { Socket as EngineSocket, transports } from 'engine.io'
import { Socket as NetSocket } from 'node:net'
import { Socket } from 'socket.io'
import * as ws from 'ws'

/** What the insides serve for. Without one of them, the ordinary way is taken: slower, coarser or larger, never deaf. */
export interface Abilities {
  /** Finished frames, one write for a whole flush, past Engine.IO where nothing waits in it. Else packet by packet. */
  directWrites: boolean
  /** The answers of a flush leave in one write per sender. Else each by itself. */
  gatheredAnswers: boolean
  /** What a reader has left unread is known to the byte. Else by writes that were completed. */
  byteCounts: boolean
  /** What libraries keep of a connection and never need again is let go. Else connections take twice the memory. */
  slimConnections: boolean
  /** Everybody is pinged by one timer, in portions. Else by two timers for each connection. */
  sharedHeartbeats: boolean
  /** The answer to a ping is taken as it is read from the network. Else it goes through two libraries first. */
  earlyPongs: boolean
}

interface Inside {
  serves: readonly (keyof Abilities)[]
  isThere: (specimen: Specimen) => boolean
}

type Fields = Record<string, unknown>
type Specimen = Record<
  'socket' | 'engineSocket' | 'transport' | 'webSocket' | 'sender' | 'receiver' | 'tcpHandle',
  Fields
>

const all = ['directWrites', 'gatheredAnswers', 'byteCounts'] as const
const heartbeats = ['sharedHeartbeats', 'earlyPongs'] as const

/** Everything that is touched of Node, ws, Engine.IO and Socket.IO beyond what they document. */
const insides: Record<string, Inside> = {
  'Engine.IO Socket.writeBuffer': {
    serves: ['directWrites', 'byteCounts'],
    isThere: ({ engineSocket }) => Array.isArray(engineSocket['writeBuffer']),
  },
  'Engine.IO Socket.upgrading': { serves: all, isThere: ({ engineSocket }) => engineSocket['upgrading'] === false },
  'Engine.IO Socket.flush': {
    serves: ['gatheredAnswers'],
    isThere: ({ engineSocket }) => typeof engineSocket['flush'] === 'function',
  },
  'Engine.IO WebSocket.socket': {
    serves: all,
    isThere: ({ transport, webSocket }) => transport['socket'] === webSocket,
  },
  'Engine.IO WebSocket.perMessageDeflate': {
    serves: ['directWrites', 'gatheredAnswers'],
    isThere: ({ transport }) => 'perMessageDeflate' in transport,
  },
  'Engine.IO WebSocket._canSendPreEncodedFrame': {
    serves: ['directWrites'],
    isThere: ({ transport }) => typeof transport['_canSendPreEncodedFrame'] === 'function',
  },
  'ws WebSocket._socket': { serves: all, isThere: ({ webSocket }) => '_socket' in webSocket },
  'ws WebSocket._sender': { serves: ['directWrites'], isThere: ({ webSocket }) => '_sender' in webSocket },
  'ws Sender._state': { serves: ['directWrites'], isThere: ({ sender }) => sender['_state'] === 0 },
  'ws Sender._bufferedBytes': { serves: ['directWrites'], isThere: ({ sender }) => sender['_bufferedBytes'] === 0 },
  'Node TCP.writeQueueSize': {
    serves: ['byteCounts'],
    isThere: ({ tcpHandle }) => tcpHandle['writeQueueSize'] === 0,
  },
  'Node TCP.bytesWritten': { serves: ['byteCounts'], isThere: ({ tcpHandle }) => tcpHandle['bytesWritten'] === 0 },
  'Engine.IO Socket.cleanupFn': {
    serves: ['slimConnections'],
    isThere: ({ engineSocket }) => Array.isArray(engineSocket['cleanupFn']),
  },
  'Socket.IO Socket.acks': { serves: ['slimConnections'], isThere: ({ socket }) => socket['acks'] instanceof Map },
  'Socket.IO Socket._anyListeners': {
    serves: ['slimConnections'],
    isThere: ({ socket }) => Array.isArray(socket['_anyListeners']),
  },
  'Engine.IO Socket.pingIntervalTimer': {
    serves: heartbeats,
    isThere: ({ engineSocket }) => typeof engineSocket['pingIntervalTimer'] === 'object',
  },
  'Engine.IO Socket.pingTimeoutTimer': {
    serves: heartbeats,
    isThere: ({ engineSocket }) => engineSocket['pingTimeoutTimer'] === null,
  },
  'Engine.IO Socket.hasRefreshedPingTimeout': {
    serves: heartbeats,
    isThere: ({ engineSocket }) => engineSocket['hasRefreshedPingTimeout'] === false,
  },
  'Engine.IO Socket.sendPacket': {
    serves: heartbeats,
    isThere: ({ engineSocket }) => typeof engineSocket['sendPacket'] === 'function',
  },
  'Engine.IO Socket.onClose': {
    serves: heartbeats,
    isThere: ({ engineSocket }) => typeof engineSocket['onClose'] === 'function',
  },
  'ws WebSocket._receiver': { serves: ['earlyPongs'], isThere: ({ webSocket }) => '_receiver' in webSocket },
  'ws Receiver._state': { serves: ['earlyPongs'], isThere: ({ receiver }) => receiver['_state'] === 0 },
  'ws Receiver._opcode': { serves: ['earlyPongs'], isThere: ({ receiver }) => receiver['_opcode'] === 0 },
  'ws Receiver._fragmented': { serves: ['earlyPongs'], isThere: ({ receiver }) => receiver['_fragmented'] === 0 },
  'ws Receiver._bufferedBytes': {
    serves: ['earlyPongs'],
    isThere: ({ receiver }) => receiver['_bufferedBytes'] === 0,
  },
}

export const insideNames = Object.keys(insides)

/** Looks, before anybody connects, whether the libraries still are what was written for. `hidden` are for tests. */
export function lookInside(hidden: readonly string[] = []): { missing: string[]; abilities: Abilities } {
  const specimen = createSpecimen()
  const missing = insideNames.filter((name) => hidden.includes(name) || insides[name]?.isThere(specimen) !== true)
  const lost = new Set(missing.flatMap((name) => insides[name]?.serves ?? []))
  const has = (ability: keyof Abilities) => !lost.has(ability)
  const abilities = {
    directWrites: has('directWrites'),
    gatheredAnswers: has('gatheredAnswers'),
    byteCounts: has('byteCounts'),
    slimConnections: has('slimConnections'),
    sharedHeartbeats: has('sharedHeartbeats'),
    earlyPongs: has('earlyPongs'),
  }
  return { missing, abilities }
}

/** A connection that leads nowhere, made of the libraries' own classes; whatever cannot be made is empty. */
function createSpecimen(): Specimen {
  const specimen: Specimen = {
    socket: {},
    engineSocket: {},
    transport: {},
    webSocket: {},
    sender: {},
    receiver: {},
    tcpHandle: {},
  }
  const tcp = new NetSocket()
  const classes = { ...ws, ...transports } as unknown as Record<string, new (...args: unknown[]) => Fields>
  const make = (part: keyof Specimen, create: () => unknown) => {
    try {
      specimen[part] = (create() ?? {}) as Fields
    } catch {
      // Made differently now: what it should have is missing.
    }
  }
  make('webSocket', () => classes['WebSocket'] && new classes['WebSocket'](null, undefined, {}))
  make('sender', () => classes['Sender'] && new classes['Sender'](tcp))
  make('receiver', () => classes['Receiver'] && new classes['Receiver']())
  const request = { _query: { EIO: '4' }, websocket: specimen.webSocket, headers: {}, connection: {} }
  make('transport', () => classes['websocket'] && new classes['websocket'](request))
  // Not writable: nothing is sent to nowhere.
  specimen.transport['writable'] = false
  make('engineSocket', () => createEngineSocket(specimen.transport, request))
  make('socket', () => createSocket(specimen.engineSocket))
  make('tcpHandle', () => tcp.connect({ host: '127.0.0.1', port: 1 }) && Reflect.get(tcp, '_handle'))
  // Before its first turn: it never connects.
  tcp.destroy()
  return specimen
}

function createEngineSocket(transport: object, request: object): EngineSocket {
  const server = { opts: { pingInterval: 1_000, pingTimeout: 1_000 }, upgrades: () => [], emit: () => undefined }
  const create = EngineSocket as unknown as new (...args: unknown[]) => EngineSocket & Fields
  const engineSocket = new create('specimen', server, transport, request, 4)
  for (const timer of [engineSocket['pingIntervalTimer'], engineSocket['pingTimeoutTimer']]) {
    clearTimeout(timer as NodeJS.Timeout)
  }
  return engineSocket
}

function createSocket(conn: object): Socket {
  const create = Socket as unknown as new (...args: unknown[]) => Socket
  const namespace = { name: '/', server: { _opts: {} }, adapter: {} }
  const socket = new create(namespace, { conn, request: { headers: {}, connection: {}, url: '/', _query: {} } }, {})
  return socket.onAny(() => undefined)
}
