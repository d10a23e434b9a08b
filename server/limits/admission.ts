import type { ConnectRejectionCode } from '../../contract/rejections.ts'
import { RejectionError } from '../base/rejection-error.ts'
import { limitedNetworks, type Networks } from './addresses.ts'
import { createNetworkBuckets } from './network-buckets.ts'
import { createNetworkCounts } from './network-counts.ts'
import { putNewest } from '../base/newest-entries.ts'
import { burstSeconds, type Rate, type TokenBucket, createTokenBucket, tokenWaitMs } from './token-bucket.ts'

export interface AdmissionLimits {
  maxConnectionsPerIp: number
  messagesPerSecond: number
  messagesPerSecondPerIp: number
}

/** Somebody at the door, and later inside. Kept small: there are ten thousand of them. */
export interface AdmissionState {
  readonly address: string
  readonly networks: Networks | null
  /** Why this one may not stay: told once the connection stands, as only then a client can read it. */
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
/** A whole office comes back at once when the server restarts, and everybody's page makes two connections. */
export const handshakeBurstPerConnection = 2
/** To refuse so that a client can read it costs a connection: beyond this rate it is done without. */
const readableRejectionsPerSecond = 10
const fullRetryMs = 10_000
const firstPenaltyMs = 10_000
const maxPenaltyMs = 600_000
/** Whoever floods again within this time after a penalty has to wait twice as long. */
const repeatWithinMs = 600_000
export const maxPenalties = 4_000
/** Shorter than what one connection may burst: many connections of one address are no reason for many bursts. */
export const addressBurstSeconds = 2
/** Packets of any kind for each message that would be allowed; beyond it, it is no chat any more. */
const packetsPerMessage = 10
const minPacketsPerSecond = 100
/** Where messages have no limit, packets still have: a core can be kept busy with those that are no messages. */
const unlimitedMessagesPerSecond = { connection: 500, address: 2_000 }
/** On average: a packet of the largest size is a message that is refused, and parsed all the same. */
const bytesPerPacket = 1_024

/** Who may connect, by address and network, and how much each connection may send of whatever kind. */
export function createAdmission(limits: AdmissionLimits, now: () => number = Date.now) {
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
  const connectionPacketRate = packetRate(messagesPerSecond || unlimitedMessagesPerSecond.connection, burstSeconds)
  const connectionByteRate = byteRateFor(connectionPacketRate)
  const addressPacketRate = packetRate(
    messagesPerSecondPerIp || unlimitedMessagesPerSecond.address,
    addressBurstSeconds,
  )
  const packets = createNetworkBuckets(addressPacketRate)
  const bytes = createNetworkBuckets(byteRateFor(addressPacketRate))
  // Maps keep the order of insertion: the first entry is the oldest.
  const penalties = new Map<string, Penalty>()

  function findRejection(networks: Networks | null, nowMs: number): ConnectRejection | null {
    if (networks === null) return null
    const penaltyMs = (penalties.get(networks.address)?.untilMs ?? 0) - nowMs
    if (penaltyMs > 0) return new RejectionError('rate_limited', 'This address has sent far too much.', penaltyMs)
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
    /** At the door: throws for whoever is turned away at once; the rest come in, some only to be told why not. */
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
    addConnection: (admitted: AdmissionState) => connections.add(admitted.networks),
    removeConnection: (admitted: AdmissionState) => connections.remove(admitted.networks),

    /**
     * Counts a packet of whatever kind, with its bytes where they are known; `false` when this one floods, and its
     * address is not to come back at once.
     */
    countPacket(admitted: AdmissionState, packetBytes = 0): boolean {
      const nowMs = now()
      const { networks, packets: connectionPackets, bytes: connectionBytes } = admitted
      const waitMs =
        tokenWaitMs(connectionPackets, connectionPacketRate, nowMs) ||
        tokenWaitMs(connectionBytes, connectionByteRate, nowMs, packetBytes) ||
        packets.take(networks, nowMs) ||
        bytes.take(networks, nowMs, packetBytes)
      connectionPackets.tokens--
      connectionBytes.tokens -= packetBytes
      if (waitMs > 0) penalize(networks, nowMs)
      return waitMs === 0
    },
    size: () => connections.size() + penalties.size,
  }
}

export type Admission = ReturnType<typeof createAdmission>

export function packetRate(messagesPerSecond: number, seconds: number): Rate {
  const perSecond = Math.max(minPacketsPerSecond, messagesPerSecond * packetsPerMessage)
  return { perSecond, burst: perSecond * seconds }
}

export function byteRateFor({ perSecond, burst }: Rate): Rate {
  return { perSecond: perSecond * bytesPerPacket, burst: burst * bytesPerPacket }
}
