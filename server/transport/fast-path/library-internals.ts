import { onBodySlot } from './abort-connection.ts'
import { createProbeConnection, type ProbeConnection } from './probe-connection.ts'

/**
 * Fast paths that depend on undocumented internals of Node, ws, Engine.IO and Socket.IO. Without one of them, the server
 * falls back to the documented API.
 */
export interface Capabilities {
  /** Writes encoded frames to the TCP socket, one write per batch. Otherwise Engine.IO writes packet by packet. */
  directWrites: boolean
  /** Sends the acks of a batch in one write per sender. Otherwise each ack is one write. */
  batchedAcks: boolean
  /** Counts unread bytes exactly. Otherwise only completed writes count. */
  byteCounts: boolean
  /** Releases what libraries retain of a connection. Otherwise a connection takes twice the memory. */
  slimConnections: boolean
  /** Pings all connections from one timer. Otherwise Engine.IO has two timers for each connection. */
  sharedHeartbeats: boolean
  /** Handles a pong as it is read from the network. Otherwise it passes through ws and Engine.IO. */
  earlyPongs: boolean
  /** Counts WebSocket control frames and limits pongs. Otherwise ws answers every ping, uncounted. */
  countedFrames: boolean
  /** Drops frames of a flood that ws has already read. Otherwise ws parses them. */
  droppedFrames: boolean
  /** Rejects a polling payload with too many packets before it is decoded. Otherwise packets are counted one by one. */
  boundedPayloads: boolean
  /** Limits the packets of a polling response. Otherwise python-socketio rejects a response with many packets. */
  boundedResponses: boolean
  /** Drops requests of an aborted connection that Node has already read. Otherwise Node parses them. */
  droppedRequests: boolean
}

interface InternalCheck {
  enables: readonly (keyof Capabilities)[]
  isPresent: (probe: ProbeConnection) => boolean
}

const writes = ['directWrites', 'batchedAcks', 'byteCounts'] as const
const heartbeats = ['sharedHeartbeats', 'earlyPongs'] as const

/** Every undocumented internal that the server uses, with a check that it is present. */
const internals: Record<string, InternalCheck> = {
  'Engine.IO Socket.writeBuffer': {
    enables: ['directWrites', 'byteCounts', 'boundedResponses'],
    isPresent: ({ engineSocket }) => Array.isArray(engineSocket['writeBuffer']),
  },
  'Engine.IO Socket.packetsFn': {
    enables: ['boundedResponses'],
    isPresent: ({ engineSocket }) => Array.isArray(engineSocket['packetsFn']),
  },
  'Engine.IO Socket.sentCallbackFn': {
    enables: ['boundedResponses'],
    isPresent: ({ engineSocket }) => Array.isArray(engineSocket['sentCallbackFn']),
  },
  'Engine.IO Socket.upgrading': {
    enables: writes,
    isPresent: ({ engineSocket }) => engineSocket['upgrading'] === false,
  },
  'Engine.IO Socket.flush': {
    enables: ['batchedAcks', 'boundedResponses'],
    isPresent: ({ engineSocket }) => typeof engineSocket['flush'] === 'function',
  },
  'Engine.IO WebSocket.socket': {
    enables: [...writes, 'countedFrames', 'droppedFrames'],
    isPresent: ({ transport, webSocket }) => transport['socket'] === webSocket,
  },
  'Engine.IO WebSocket.perMessageDeflate': {
    enables: ['directWrites', 'batchedAcks'],
    isPresent: ({ transport }) => 'perMessageDeflate' in transport,
  },
  'Engine.IO WebSocket._canSendPreEncodedFrame': {
    enables: ['directWrites'],
    isPresent: ({ transport }) => typeof transport['_canSendPreEncodedFrame'] === 'function',
  },
  'ws WebSocket._socket': { enables: writes, isPresent: ({ webSocket }) => '_socket' in webSocket },
  'ws WebSocket._sender': { enables: ['directWrites'], isPresent: ({ webSocket }) => '_sender' in webSocket },
  'ws Sender._state': { enables: ['directWrites'], isPresent: ({ sender }) => sender['_state'] === 0 },
  'ws Sender._bufferedBytes': { enables: ['directWrites'], isPresent: ({ sender }) => sender['_bufferedBytes'] === 0 },
  'Node TCP.writeQueueSize': {
    enables: ['byteCounts'],
    isPresent: ({ tcpHandle }) => tcpHandle['writeQueueSize'] === 0,
  },
  'Node TCP.bytesWritten': { enables: ['byteCounts'], isPresent: ({ tcpHandle }) => tcpHandle['bytesWritten'] === 0 },
  'Engine.IO Socket.cleanupFn': {
    enables: ['slimConnections'],
    isPresent: ({ engineSocket }) => Array.isArray(engineSocket['cleanupFn']),
  },
  'Socket.IO Socket.acks': { enables: ['slimConnections'], isPresent: ({ socket }) => socket['acks'] instanceof Map },
  'Socket.IO Socket._anyListeners': {
    enables: ['slimConnections'],
    isPresent: ({ socket }) => Array.isArray(socket['_anyListeners']),
  },
  'Engine.IO Socket.pingIntervalTimer': {
    enables: heartbeats,
    isPresent: ({ engineSocket }) => typeof engineSocket['pingIntervalTimer'] === 'object',
  },
  'Engine.IO Socket.pingTimeoutTimer': {
    enables: [...heartbeats, 'boundedResponses'],
    isPresent: ({ engineSocket }) => engineSocket['pingTimeoutTimer'] === null,
  },
  'Engine.IO Socket.hasRefreshedPingTimeout': {
    enables: heartbeats,
    isPresent: ({ engineSocket }) => engineSocket['hasRefreshedPingTimeout'] === false,
  },
  'Engine.IO Socket.sendPacket': {
    enables: [...heartbeats, 'boundedResponses'],
    isPresent: ({ engineSocket }) => typeof engineSocket['sendPacket'] === 'function',
  },
  'Engine.IO Socket.onClose': {
    enables: heartbeats,
    isPresent: ({ engineSocket }) => typeof engineSocket['onClose'] === 'function',
  },
  'ws WebSocket._receiver': {
    enables: ['earlyPongs', 'droppedFrames'],
    isPresent: ({ webSocket }) => '_receiver' in webSocket,
  },
  'ws Receiver._state': { enables: ['earlyPongs'], isPresent: ({ receiver }) => receiver['_state'] === 0 },
  'ws Receiver._opcode': { enables: ['earlyPongs'], isPresent: ({ receiver }) => receiver['_opcode'] === 0 },
  'ws Receiver._fragmented': { enables: ['earlyPongs'], isPresent: ({ receiver }) => receiver['_fragmented'] === 0 },
  'ws Receiver._bufferedBytes': {
    enables: ['earlyPongs', 'droppedFrames'],
    isPresent: ({ receiver }) => receiver['_bufferedBytes'] === 0,
  },
  'Engine.IO Polling.onData': {
    enables: ['boundedPayloads'],
    isPresent: ({ polling }) => typeof polling['onData'] === 'function',
  },
  'Engine.IO Polling.onError': {
    enables: ['boundedPayloads'],
    isPresent: ({ polling }) => typeof polling['onError'] === 'function',
  },
  'Node HTTPParser.onIncoming': {
    enables: ['droppedRequests'],
    isPresent: ({ httpParser }) => typeof httpParser['onIncoming'] === 'function',
  },
  'Node HTTPParser.incoming': {
    enables: ['droppedRequests'],
    isPresent: ({ httpParser }) => httpParser['incoming'] === null,
  },
  'Node HTTPParser.onBody': {
    enables: ['droppedRequests'],
    isPresent: ({ httpParser }) => (httpParser[onBodySlot] as { name?: string } | undefined)?.name === 'parserOnBody',
  },
  'Node HTTPParser.remove': {
    enables: ['droppedRequests'],
    isPresent: ({ httpParser }) => typeof httpParser['remove'] === 'function',
  },
}

export const internalNames = Object.keys(internals)

/** Checks the installed libraries before any client connects. `hidden` internals count as missing: for tests. */
export function detectCapabilities(hidden: readonly string[] = []): { missing: string[]; capabilities: Capabilities } {
  const probe = createProbeConnection()
  const missing = internalNames.filter((name) => hidden.includes(name) || internals[name]?.isPresent(probe) !== true)
  const capabilities: Capabilities = {
    directWrites: true,
    batchedAcks: true,
    byteCounts: true,
    slimConnections: true,
    sharedHeartbeats: true,
    earlyPongs: true,
    countedFrames: true,
    droppedFrames: true,
    boundedPayloads: true,
    boundedResponses: true,
    droppedRequests: true,
  }
  for (const capability of missing.flatMap((name) => internals[name]?.enables ?? [])) capabilities[capability] = false
  return { missing, capabilities }
}
