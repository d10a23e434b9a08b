import type { ConnectRejectionCode } from '../../contract/rejections.ts'
import { monotonicMs } from '../base/monotonic-ms.ts'
import { RejectionError } from '../base/rejection-error.ts'
import { limitedNetworks, type Networks } from './addresses.ts'
import { createNetworkBuckets } from './network-buckets.ts'
import { createNetworkCounts } from './network-counts.ts'
import { putNewest } from '../base/newest-entries.ts'
import { burstSeconds } from '../config/rate-burst.ts'
import { type Rate, type TokenBucket, createTokenBucket, tokenWaitMs } from './token-bucket.ts'

export interface AdmissionLimits {
  maxConnectionsPerIp: number
  messagesPerSecond: number
  messagesPerSecondPerIp: number
}

/** Admission state of one connection. It is small because a server holds ten thousand of them. */
export interface AdmissionState {
  readonly address: string
  readonly networks: Networks | null
  /**
   * Rejection to send after the connection is established, because a client cannot read it earlier; `null` if the
   * connection is accepted.
   */
  readonly rejection: RejectionError<ConnectRejectionCode> | null
  hasAskedToConnect: boolean
  packets: TokenBucket
  bytes: TokenBucket
}

interface Penalty {
  lengthMs: number
  untilMs: number
}

type ConnectRejection = RejectionError<ConnectRejectionCode>

export const handshakesPerSecond = 20
/**
 * Number of handshakes in a burst, for each allowed connection of an address. After a restart of the server, all
 * connections of an address reconnect at once, and each may need a second attempt.
 */
export const handshakeBurstPerConnection = 2
/**
 * Maximum rate, per address, of rejections that the client can read. The server opens a connection for each of them.
 * Above this rate, it rejects the handshake itself.
 */
const readableRejectionsPerSecond = 10
const fullRetryMs = 10_000
const firstPenaltyMs = 10_000
const maxPenaltyMs = 600_000
/** Time after the end of a penalty in which the penalty of another flood is twice as long. */
const repeatWithinMs = 600_000
export const maxPenalties = 4_000
/** Packet limit of a connection: packets of any kind per allowed message, and the length of the burst. */
export const connectionPackets = { perMessage: 10, burstSeconds }
/**
 * Packet limit of an address. It allows fewer packets per message, because the connections of an address do not all send
 * at once, and the server also processes and answers packets that it rejects. It is never lower than the limit of one connection,
 * unless connections have none.
 */
export const addressPackets = { perMessage: 4, burstSeconds: 5 }
const minPacketsPerSecond = 100
/** Base of the packet limit when messages have no limit. Packets that are not messages also cost CPU time. */
const unlimitedMessagesPerSecond = { connection: 500, address: 2_000 }
/** Allowed average size of a packet. The server must also parse packets that it then rejects as too long. */
const bytesPerPacket = 1_024

/** Limits connections and handshakes per address and network, and packets and bytes per connection, address and network. */
export function createAdmission(limits: AdmissionLimits, now: () => number = monotonicMs) {
  const { maxConnectionsPerIp, messagesPerSecond, messagesPerSecondPerIp } = limits
  const connections = createNetworkCounts(maxConnectionsPerIp)
  const handshakes = createNetworkBuckets({
    perSecond: maxConnectionsPerIp === 0 ? 0 : handshakesPerSecond,
    burst: maxConnectionsPerIp * handshakeBurstPerConnection,
  })
  const readableRejections = createNetworkBuckets({
    perSecond: readableRejectionsPerSecond,
    burst: readableRejectionsPerSecond * burstSeconds,
  })
  const connectionPacketRate = packetRate(messagesPerSecond || unlimitedMessagesPerSecond.connection, connectionPackets)
  const connectionByteRate = byteRateFor(connectionPacketRate)
  const addressPacketRate = larger(
    packetRate(messagesPerSecondPerIp || unlimitedMessagesPerSecond.address, addressPackets),
    packetRate(messagesPerSecond, connectionPackets),
  )
  const packets = createNetworkBuckets(addressPacketRate)
  const bytes = createNetworkBuckets(byteRateFor(addressPacketRate))
  const penalties = new Map<string, Penalty>()

  function findRejection(networks: Networks | null, nowMs: number): ConnectRejection | null {
    if (networks === null) return null
    const penaltyMs = (penalties.get(networks.address)?.untilMs ?? 0) - nowMs
    if (penaltyMs > 0)
      return new RejectionError(
        'rate_limited',
        'This address has sent far too much. Please try again later.',
        penaltyMs,
      )
    if (connections.isFull(networks)) {
      return new RejectionError('rate_limited', 'There are too many connections from this address.', fullRetryMs)
    }
    const waitMs = handshakes.take(networks, nowMs)
    if (waitMs === 0) return null
    return new RejectionError('rate_limited', 'This address connects too often.', waitMs)
  }

  function penalize(networks: Networks | null, nowMs: number): void {
    if (networks === null) return
    const before = penalties.get(networks.address)
    if (before !== undefined && before.untilMs > nowMs) return
    const isRepeated = before !== undefined && nowMs - before.untilMs <= repeatWithinMs
    const lengthMs = Math.min(maxPenaltyMs, isRepeated ? before.lengthMs * 2 : firstPenaltyMs)
    putNewest(penalties, networks.address, { lengthMs, untilMs: nowMs + lengthMs }, maxPenalties)
  }

  return {
    /**
     * Admits a connection, or throws a rejection. A connection whose state has a `rejection` is admitted only to send
     * that rejection.
     */
    admit(address: string): AdmissionState {
      const nowMs = now()
      const networks = limitedNetworks(address)
      const rejection = findRejection(networks, nowMs)
      if (rejection !== null && readableRejections.take(networks, nowMs) > 0) throw rejection
      return {
        address,
        networks,
        rejection,
        hasAskedToConnect: false,
        packets: createTokenBucket(connectionPacketRate, nowMs),
        bytes: createTokenBucket(connectionByteRate, nowMs),
      }
    },
    addConnection: ({ networks }: AdmissionState) => connections.add(networks),
    removeConnection: ({ networks }: AdmissionState) => connections.remove(networks),

    /**
     * Counts a packet of any kind. If the connection, its address or its network exceeds a limit, returns `false` and
     * penalizes the address.
     */
    countPacket(state: AdmissionState, packetBytes = 0): boolean {
      const nowMs = now()
      const { networks, packets: ownPackets, bytes: ownBytes } = state
      const waitMs =
        tokenWaitMs(ownPackets, connectionPacketRate, nowMs) ||
        tokenWaitMs(ownBytes, connectionByteRate, nowMs, packetBytes) ||
        packets.take(networks, nowMs) ||
        bytes.take(networks, nowMs, packetBytes)
      ownPackets.tokens--
      ownBytes.tokens -= packetBytes
      if (waitMs > 0) penalize(networks, nowMs)
      return waitMs === 0
    },
    size: () => connections.size() + penalties.size,
  }
}

export type Admission = ReturnType<typeof createAdmission>

export function packetRate(messagesPerSecond: number, packets: typeof connectionPackets): Rate {
  const perSecond = Math.max(minPacketsPerSecond, messagesPerSecond * packets.perMessage)
  return { perSecond, burst: perSecond * packets.burstSeconds }
}

function larger(one: Rate, other: Rate): Rate {
  return { perSecond: Math.max(one.perSecond, other.perSecond), burst: Math.max(one.burst, other.burst) }
}

export function byteRateFor({ perSecond, burst }: Rate): Rate {
  return { perSecond: perSecond * bytesPerPacket, burst: burst * bytesPerPacket }
}
