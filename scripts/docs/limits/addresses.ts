import {
  addressPackets,
  byteRateFor,
  handshakeBurstPerConnection,
  handshakesPerSecond,
  packetRate,
} from '../../../server/limits/admission.ts'
import { maxPageBytes } from '../../../server/room/deliver/replay-pages.ts'
import { addressBytes, connectionBytes } from '../../../server/limits/byte-budget.ts'
import { addressCost, connectionCost, costMultiplier } from '../../../server/limits/cost-meter.ts'
import { requestRates, blockMs } from '../../../server/limits/request-budget.ts'
import { addressByteBurstSeconds, byteRate } from '../../../server/limits/send-rate.ts'
import type { Rate } from '../../../server/limits/token-bucket.ts'
import { burstSeconds } from '../../../server/config/rate-burst.ts'
import { foreignPart } from '../../../server/transport/http/protection/protection-steps.ts'
import { maxTcpConnections } from '../../../server/transport/http/protection/tcp-connections.ts'
import { count, kb, kib, mb, mib, seconds } from '../figures.ts'
import { defaults, type Limit, perSecond, wider } from './limit.ts'

const { maxConnectionsPerIp, messagesPerSecondPerIp } = defaults
const { requests, bytes } = requestRates(maxConnectionsPerIp)
const foreign = requestRates(Math.ceil(maxConnectionsPerIp / foreignPart))
const frames = packetRate(messagesPerSecondPerIp, addressPackets)
const frameBytes = byteRateFor(frames)
const sentBytes = byteRate(messagesPerSecondPerIp, addressByteBurstSeconds)
const sent = addressBytes(maxConnectionsPerIp)
const handshakes = { perSecond: handshakesPerSecond, burst: maxConnectionsPerIp * handshakeBurstPerConnection }

const percent = ({ perSecond: costMs }: Rate) => `${costMs / 10} %`

export const addressLimits: readonly Limit[] = [
  {
    what: 'Rates and Socket.IO connections of a network',
    limit: wider,
    beyond: 'as for one address',
    tests: 'LIMITS-1',
  },
  {
    what: 'Socket.IO connections',
    limit: `${maxConnectionsPerIp} (\`MAX_CONNECTIONS_PER_IP\`)`,
    beyond: '`connect_error` `rate_limited`',
    tests: 'SECURITY-3',
  },
  {
    what: 'TCP connections, and requests in flight',
    limit: String(maxTcpConnections(maxConnectionsPerIp)),
    beyond: 'closed, or 429',
    tests: 'SECURITY-3, EDGE-2',
  },
  {
    what: 'HTTP requests and new TCP connections',
    limit: perSecond(requests),
    beyond: `429 and connection closed, later closed at accept for ${seconds(blockMs)}`,
    tests: 'SECURITY-3',
  },
  {
    what: 'HTTP requests that pages of other sites make',
    limit: perSecond(foreign.requests),
    beyond: '429 and connection closed',
    tests: 'SECURITY-3',
  },
  {
    what: 'Bytes of HTTP responses',
    limit: `${mib(bytes.perSecond)} per second, burst ${mib(bytes.burst)}`,
    beyond: 'as for requests',
    tests: 'SECURITY-3',
  },
  {
    what: 'Bytes of requested replay, and of online lists',
    limit: `${mib(sent.perSecond)} per second each, burst ${mib(sent.burst)}; ${mib(connectionBytes.perSecond)} and ${mib(connectionBytes.burst)} for one connection; a read of the stored messages counts as ${kib(maxPageBytes)}`,
    beyond: 'sent later; live messages are not delayed',
    tests: 'LIMITS-9',
  },
  {
    what: 'Handshakes',
    limit: perSecond(handshakes),
    beyond: '`rate_limited`, then a plain 429',
    tests: 'SECURITY-3',
  },
  {
    what: 'Frames of any kind',
    limit: `${count(frames.perSecond)} and ${kb(frameBytes.perSecond)} per second (burst ${count(frames.burst)} and ${mb(frameBytes.burst)})`,
    beyond: 'connection closed, address blocked',
    tests: 'EDGE-4, LIMITS-4',
  },
  {
    what: 'Messages, and their bytes as delivered',
    limit: `${messagesPerSecondPerIp} and ${kb(sentBytes.perSecond)} per second (burst ${count(messagesPerSecondPerIp * burstSeconds)} and ${kb(sentBytes.burst)})`,
    beyond: '`rate_limited`',
    tests: 'LIMITS-4',
  },
  {
    what: 'CPU time of events, and of requests, beyond the first millisecond of each',
    limit: `${percent(addressCost)} of a core each; ${costMultiplier.network} × for a network; ${percent(connectionCost)} for one connection`,
    beyond: 'costliest connections closed, new ones and requests rejected',
    tests: 'LIMITS-8',
  },
]
