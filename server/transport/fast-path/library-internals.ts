import { onBodySlot } from './abort-connection.ts'
import { createProbeConnection, type ProbeConnection } from './probe-connection.ts'

/** What the insides serve for. Without one of them, the ordinary way is taken: slower, coarser or larger, never deaf. */
export interface Capabilities {
  /** Finished frames, one write for a whole flush, past Engine.IO where nothing waits in it. Else packet by packet. */
  directWrites: boolean
  /** The answers of a flush leave in one write per sender. Else each by itself. */
  batchedAcks: boolean
  /** What a reader has left unread is known to the byte. Else by writes that were completed. */
  byteCounts: boolean
  /** What libraries keep of a connection and never need again is let go. Else connections take twice the memory. */
  slimConnections: boolean
  /** Everybody is pinged by one timer, in portions. Else by two timers for each connection. */
  sharedHeartbeats: boolean
  /** The answer to a ping is taken as it is read from the network. Else it goes through two libraries first. */
  earlyPongs: boolean
  /** Control frames of a WebSocket are counted, and answered only to those who read. Else ws answers them, uncounted. */
  countedFrames: boolean
  /** Of a flood, what ws has read already is forgotten. Else it is taken apart, for nobody. */
  droppedFrames: boolean
  /** A polling payload of far too many packets is refused whole. Else its packets are counted one by one. */
  boundedPayloads: boolean
  /** A polling response has at most 16 packets. Else it has all that wait, and python-socketio cannot keep up. */
  boundedResponses: boolean
  /** Of requests that are ended midway, what Node has read already is forgotten. Else it is taken apart, for nobody. */
  droppedRequests: boolean
}

interface Inside {
  serves: readonly (keyof Capabilities)[]
  isThere: (probe: ProbeConnection) => boolean
}

const all = ['directWrites', 'batchedAcks', 'byteCounts'] as const
const heartbeats = ['sharedHeartbeats', 'earlyPongs'] as const

/** Everything that is touched of Node, ws, Engine.IO and Socket.IO beyond what they document. */
const insides: Record<string, Inside> = {
  'Engine.IO Socket.writeBuffer': {
    serves: ['directWrites', 'byteCounts', 'boundedResponses'],
    isThere: ({ engineSocket }) => Array.isArray(engineSocket['writeBuffer']),
  },
  'Engine.IO Socket.packetsFn': {
    serves: ['boundedResponses'],
    isThere: ({ engineSocket }) => Array.isArray(engineSocket['packetsFn']),
  },
  'Engine.IO Socket.sentCallbackFn': {
    serves: ['boundedResponses'],
    isThere: ({ engineSocket }) => Array.isArray(engineSocket['sentCallbackFn']),
  },
  'Engine.IO Socket.upgrading': { serves: all, isThere: ({ engineSocket }) => engineSocket['upgrading'] === false },
  'Engine.IO Socket.flush': {
    serves: ['batchedAcks', 'boundedResponses'],
    isThere: ({ engineSocket }) => typeof engineSocket['flush'] === 'function',
  },
  'Engine.IO WebSocket.socket': {
    serves: [...all, 'countedFrames', 'droppedFrames'],
    isThere: ({ transport, webSocket }) => transport['socket'] === webSocket,
  },
  'Engine.IO WebSocket.perMessageDeflate': {
    serves: ['directWrites', 'batchedAcks'],
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
    serves: [...heartbeats, 'boundedResponses'],
    isThere: ({ engineSocket }) => engineSocket['pingTimeoutTimer'] === null,
  },
  'Engine.IO Socket.hasRefreshedPingTimeout': {
    serves: heartbeats,
    isThere: ({ engineSocket }) => engineSocket['hasRefreshedPingTimeout'] === false,
  },
  'Engine.IO Socket.sendPacket': {
    serves: [...heartbeats, 'boundedResponses'],
    isThere: ({ engineSocket }) => typeof engineSocket['sendPacket'] === 'function',
  },
  'Engine.IO Socket.onClose': {
    serves: heartbeats,
    isThere: ({ engineSocket }) => typeof engineSocket['onClose'] === 'function',
  },
  'ws WebSocket._receiver': {
    serves: ['earlyPongs', 'droppedFrames'],
    isThere: ({ webSocket }) => '_receiver' in webSocket,
  },
  'ws Receiver._state': { serves: ['earlyPongs'], isThere: ({ receiver }) => receiver['_state'] === 0 },
  'ws Receiver._opcode': { serves: ['earlyPongs'], isThere: ({ receiver }) => receiver['_opcode'] === 0 },
  'ws Receiver._fragmented': { serves: ['earlyPongs'], isThere: ({ receiver }) => receiver['_fragmented'] === 0 },
  'ws Receiver._bufferedBytes': {
    serves: ['earlyPongs', 'droppedFrames'],
    isThere: ({ receiver }) => receiver['_bufferedBytes'] === 0,
  },
  'Engine.IO Polling.onData': {
    serves: ['boundedPayloads'],
    isThere: ({ polling }) => typeof polling['onData'] === 'function',
  },
  'Engine.IO Polling.onError': {
    serves: ['boundedPayloads'],
    isThere: ({ polling }) => typeof polling['onError'] === 'function',
  },
  'Node HTTPParser.onIncoming': {
    serves: ['droppedRequests'],
    isThere: ({ httpParser }) => typeof httpParser['onIncoming'] === 'function',
  },
  'Node HTTPParser.incoming': {
    serves: ['droppedRequests'],
    isThere: ({ httpParser }) => httpParser['incoming'] === null,
  },
  'Node HTTPParser.onBody': {
    serves: ['droppedRequests'],
    isThere: ({ httpParser }) => (httpParser[onBodySlot] as { name?: string } | undefined)?.name === 'parserOnBody',
  },
  'Node HTTPParser.remove': {
    serves: ['droppedRequests'],
    isThere: ({ httpParser }) => typeof httpParser['remove'] === 'function',
  },
}

export const internalNames = Object.keys(insides)

/** Looks, before anybody connects, whether the libraries still are what was written for. `hidden` are for tests. */
export function detectInternals(hidden: readonly string[] = []): { missing: string[]; capabilities: Capabilities } {
  const probe = createProbeConnection()
  const missing = internalNames.filter((name) => hidden.includes(name) || insides[name]?.isThere(probe) !== true)
  const lost = new Set(missing.flatMap((name) => insides[name]?.serves ?? []))
  const has = (ability: keyof Capabilities) => !lost.has(ability)
  const capabilities = {
    directWrites: has('directWrites'),
    batchedAcks: has('batchedAcks'),
    byteCounts: has('byteCounts'),
    slimConnections: has('slimConnections'),
    sharedHeartbeats: has('sharedHeartbeats'),
    earlyPongs: has('earlyPongs'),
    countedFrames: has('countedFrames'),
    droppedFrames: has('droppedFrames'),
    boundedPayloads: has('boundedPayloads'),
    boundedResponses: has('boundedResponses'),
    droppedRequests: has('droppedRequests'),
  }
  return { missing, capabilities }
}
