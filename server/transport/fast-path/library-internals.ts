import { StartError } from '../../base/start-error.ts'
import { onBodySlot } from './abort-connection.ts'
import { createProbeConnection, type ProbeConnection } from './probe-connection.ts'

type Checks = Readonly<Record<string, (probe: ProbeConnection) => boolean>>

/** Undocumented internals that only save time and memory. If one of them is missing, the server uses the documented API. */
const fastPathChecks: Checks = {
  'Engine.IO Socket.upgrading': ({ engineSocket }) => engineSocket['upgrading'] === false,
  'Engine.IO Socket.pingIntervalTimer': ({ engineSocket }) => typeof engineSocket['pingIntervalTimer'] === 'object',
  'Engine.IO Socket.hasRefreshedPingTimeout': ({ engineSocket }) => engineSocket['hasRefreshedPingTimeout'] === false,
  'Engine.IO WebSocket.perMessageDeflate': ({ transport }) => 'perMessageDeflate' in transport,
  'Engine.IO WebSocket._canSendPreEncodedFrame': ({ transport }) =>
    typeof transport['_canSendPreEncodedFrame'] === 'function',
  'ws WebSocket._socket': ({ webSocket }) => '_socket' in webSocket,
  'ws WebSocket._sender': ({ webSocket }) => '_sender' in webSocket,
  'ws Sender._state': ({ sender }) => sender['_state'] === 0,
  'ws Sender._bufferedBytes': ({ sender }) => sender['_bufferedBytes'] === 0,
  'Node TCP.writeQueueSize': ({ tcpHandle }) => tcpHandle['writeQueueSize'] === 0,
  'Node TCP.bytesWritten': ({ tcpHandle }) => tcpHandle['bytesWritten'] === 0,
}

/** Undocumented internals on which limits depend. If one of them is missing, the server does not start. */
const requiredChecks: Checks = {
  // `count-packets.ts` counts frames and drops the rest of a flood.
  'Engine.IO WebSocket.socket': ({ transport, webSocket }) => transport['socket'] === webSocket,
  'ws WebSocket._receiver': ({ webSocket }) => '_receiver' in webSocket,
  'ws Receiver._bufferedBytes': ({ receiver }) => receiver['_bufferedBytes'] === 0,
  // `socket-writer.ts` closes connections at once.
  'Engine.IO Socket.onClose': ({ engineSocket }) => typeof engineSocket['onClose'] === 'function',
  // `packet-turns.ts` lets packets wait.
  'Engine.IO WebSocket.onPacket': ({ transport }) => typeof transport['onPacket'] === 'function',
  // `polling-payload.ts` and `polling-responses.ts` limit the packets of requests and responses. `closing-turns.ts` lets
  // the errors of lost connections wait.
  'Engine.IO Polling.onData': ({ polling }) => typeof polling['onData'] === 'function',
  'Engine.IO Polling.onError': ({ polling }) => typeof polling['onError'] === 'function',
  'Engine.IO Socket.writeBuffer': ({ engineSocket }) => Array.isArray(engineSocket['writeBuffer']),
  'Engine.IO Socket.packetsFn': ({ engineSocket }) => Array.isArray(engineSocket['packetsFn']),
  'Engine.IO Socket.sentCallbackFn': ({ engineSocket }) => Array.isArray(engineSocket['sentCallbackFn']),
  'Engine.IO Socket.flush': ({ engineSocket }) => typeof engineSocket['flush'] === 'function',
  'Engine.IO Socket.sendPacket': ({ engineSocket }) => typeof engineSocket['sendPacket'] === 'function',
  'Engine.IO Socket.pingTimeoutTimer': ({ engineSocket }) => engineSocket['pingTimeoutTimer'] === null,
  // `abort-connection.ts` drops the remaining requests of a connection.
  'Node HTTPParser.onIncoming': ({ httpParser }) => typeof httpParser['onIncoming'] === 'function',
  'Node HTTPParser.incoming': ({ httpParser }) => httpParser['incoming'] === null,
  'Node HTTPParser.onBody': ({ httpParser }) =>
    (httpParser[onBodySlot] as { name?: string } | undefined)?.name === 'parserOnBody',
  'Node HTTPParser.remove': ({ httpParser }) => typeof httpParser['remove'] === 'function',
}

export const fastPathInternals = Object.keys(fastPathChecks)
export const requiredInternals = Object.keys(requiredChecks)

/**
 * Checks the installed libraries and returns the missing internals of the fast path. Throws a `StartError` if a
 * required internal is missing. Tests pass `hidden` internals, which count as missing.
 */
export function detectFastPath(hidden: readonly string[] = []): { hasFastPath: boolean; missing: string[] } {
  const probe = createProbeConnection()
  const missingOf = (checks: Checks) =>
    Object.entries(checks).flatMap(([name, isPresent]) => (hidden.includes(name) || !isPresent(probe) ? [name] : []))
  const required = missingOf(requiredChecks)
  if (required.length > 0) {
    throw new StartError(`Library internals missing: ${required.join(', ')}; install the locked versions (npm ci)`)
  }
  const missing = missingOf(fastPathChecks)
  return { hasFastPath: missing.length === 0, missing }
}
