import { maxFrameBytes, maxHttpBodyBytes, pingIntervalMs, pingTimeoutMs } from '../../../contract/limits.ts'
import { maxJsonDepth, maxJsonValues } from '../../../server/base/json-size.ts'
import { networkTurnMs } from '../../../server/limits/input-turns.ts'
import { byteRateFor, connectionPackets, packetRate } from '../../../server/limits/admission.ts'
import { byteRate } from '../../../server/limits/send-rate.ts'
import { burstSeconds } from '../../../server/config/rate-burst.ts'
import { maxPacketsPerPayload } from '../../../server/transport/fast-path/polling-payload.ts'
import { headersTimeoutMs, maxHeaderBytes, requestTimeoutMs } from '../../../server/transport/http/http-server.ts'
import {
  bodyChunksPerSecond,
  bytesPerBodyChunk,
  freeBodyChunks,
  maxBodyChunks,
} from '../../../server/transport/http/protection/body-chunks.ts'
import { maxListCharacters } from '../../../server/transport/http/pages/send-static.ts'
import { maxUnansweredPerConnection } from '../../../server/transport/http/protection/limit-requests.ts'
import {
  maxHeaders,
  maxQueryParameters,
  maxUrlCharacters,
} from '../../../server/transport/http/protection/request-heads.ts'
import {
  chunksPerRequest,
  maxRequestsPerTurn,
  maxRequestsReadPerTurn,
  maxWaitingRequests,
  requestsPerEnd,
} from '../../../server/transport/http/protection/request-turns.ts'
import { maxNamespaceCharacters, maxWaitingCharacters } from '../../../server/transport/sockets/bounded-decoder.ts'
import {
  shortJoinTimeoutMs,
  joinTimeoutMs,
  maxConnectionsWithFullTimeout,
} from '../../../server/transport/sockets/join-deadline.ts'
import { maxBufferedChunks, maxFragments } from '../../../server/transport/sockets/web-socket-engine.ts'
import { count, kb, kib, mb, seconds } from '../figures.ts'
import { defaults, type Limit } from './limit.ts'

const frames = packetRate(defaults.messagesPerSecond, connectionPackets)
const frameBytes = byteRateFor(frames)
const sentBytes = byteRate(defaults.messagesPerSecond, burstSeconds)

export const incomingLimits: readonly Limit[] = [
  {
    what: 'Head of a request',
    limit: `${kib(maxHeaderBytes)} within ${seconds(headersTimeoutMs)}`,
    beyond: '431 or 408',
    tests: 'SECURITY-5',
  },
  {
    what: 'URL, parameters of its query, and headers',
    limit: `${count(maxUrlCharacters)} characters, ${maxQueryParameters} and ${maxHeaders}`,
    beyond: '414, 400 or 431, connection closed',
    tests: 'SECURITY-5',
  },
  {
    what: '`Accept-Encoding` and `If-None-Match`',
    limit: `${maxListCharacters} characters`,
    beyond: 'the header is ignored',
    tests: 'LIMITS-6',
  },
  {
    what: 'Depth of JSON, and its values',
    limit: `${maxJsonDepth} and ${maxJsonValues}`,
    beyond: '400, or `invalid` for an event',
    tests: 'LIMITS-6',
  },
  {
    what: 'Body of a call',
    limit: `${kib(maxHttpBodyBytes)} in ${maxBodyChunks(maxHttpBodyBytes)} pieces (${freeBodyChunks}, and one per ${bytesPerBodyChunk} bytes; ${bodyChunksPerSecond} more each second) within ${seconds(requestTimeoutMs)}`,
    beyond: '413 or 408, connection closed',
    tests: 'EDGE-17, SECURITY-5',
  },
  {
    what: 'Pending requests on one TCP connection',
    limit: String(maxUnansweredPerConnection),
    beyond: 'connection closed',
    tests: 'EDGE-2',
  },
  {
    what: 'Responses to invalid HTTP on one TCP connection',
    limit: 'one',
    beyond: 'connection closed',
    tests: 'SECURITY-3',
  },
  {
    what: 'Requests and upgrades in one turn of the event loop',
    limit: `one per connection, ${maxRequestsPerTurn} in total; networks take turns, and so do their addresses`,
    beyond: `the rest waits; a turn that has read ${maxRequestsReadPerTurn} requests, or ${count(maxRequestsReadPerTurn * chunksPerRequest)} pieces of bodies, or ${maxRequestsReadPerTurn / requestsPerEnd} ends of connections, reads no more; with ${count(maxWaitingRequests)} waiting, HTTP connections are not read`,
    tests: 'EDGE-17, SECURITY-7',
  },
  {
    what: 'Time of the WebSocket inputs of one network in a turn of the event loop',
    limit: `${networkTurnMs} ms`,
    beyond: 'the rest waits, and its connections are not read',
    tests: 'SECURITY-3',
  },
  {
    what: 'Payload of a polling request',
    limit: `${kib(maxFrameBytes)} in ${maxBodyChunks(maxFrameBytes)} pieces (as for a call) and ${maxPacketsPerPayload} packets, one request at a time`,
    beyond: 'connection closed',
    tests: 'EDGE-4, EDGE-17',
  },
  {
    what: 'Incomplete WebSocket message',
    limit: `${kib(maxFrameBytes)} in ${maxFragments} fragments, a frame in ${maxBufferedChunks} pieces, ${seconds(pingIntervalMs + pingTimeoutMs)}`,
    beyond: 'connection closed (1008, 1009)',
    tests: 'EDGE-17',
  },
  {
    what: 'Frames of any kind',
    limit: `${count(frames.perSecond)} and ${kb(frameBytes.perSecond)} per second (burst ${count(frames.burst)} and ${mb(frameBytes.burst)})`,
    beyond: 'connection closed, address blocked',
    tests: 'EDGE-4, LIMITS-4',
  },
  {
    what: 'Messages, and their bytes as delivered',
    limit: `${defaults.messagesPerSecond} and ${kb(sentBytes.perSecond)} per second (burst ${defaults.messagesPerSecond * burstSeconds} and ${kb(sentBytes.burst)})`,
    beyond: '`rate_limited`',
    tests: 'LIMITS-4',
  },
  {
    what: 'Packet that waits for an attachment or a token check',
    limit: `${count(maxWaitingCharacters)} characters, one attachment`,
    beyond: 'connection closed',
    tests: 'BOUNDS-1',
  },
  {
    what: 'Name of a namespace',
    limit: `${maxNamespaceCharacters} characters`,
    beyond: 'connection closed',
    tests: 'BOUNDS-2',
  },
  {
    what: 'Time until Socket.IO CONNECT',
    limit: `${seconds(joinTimeoutMs)}; ${seconds(shortJoinTimeoutMs)} if ${maxConnectionsWithFullTimeout(defaults.maxConnectionsPerIp)} others of the address wait`,
    beyond: 'connection closed',
    tests: 'SECURITY-5, BOUNDS-5',
  },
]
