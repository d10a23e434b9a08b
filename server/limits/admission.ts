import type { ConnectRefusalCode } from '../../contract/refusals.ts'
import { RefusalError } from '../refusal-error.ts'
import { limitKey } from './addresses.ts'
import { createBucketPerAddress } from './bucket-per-address.ts'
import { burstSeconds } from './token-bucket.ts'

export interface AdmissionLimits {
  maxConnectionsPerIp: number
  messagesPerSecond: number
  messagesPerSecondPerIp: number
}

/** Somebody at the door, and later inside. Kept small: there are ten thousand of them. */
export interface Admitted {
  readonly address: string
  readonly key: string | null
  /** Why this one may not stay: told once the connection stands, as only then a client can read it. */
  readonly refusal: RefusalError<ConnectRefusalCode> | null
  hasAskedToConnect: boolean
  packetsLeft: number
  countedAtMs: number
}

interface Penalty {
  lengthMs: number
  untilMs: number
}

type Refusal = RefusalError<ConnectRefusalCode>

const handshakesPerSecond = 20
/** A whole office comes back at once when the server restarts, and everybody's page makes two connections. */
const handshakeBurstPerConnection = 2
/** To refuse so that a client can read it costs a connection: beyond this rate it is done without. */
const readableRefusalsPerSecond = 10
const fullRetryMs = 10_000
const firstPenaltyMs = 10_000
const maxPenaltyMs = 600_000
/** Whoever floods again within this time after a penalty has to wait twice as long. */
const relapseWithinMs = 600_000
/** Shorter than what one connection may burst: many connections of one address are no reason for many bursts. */
const addressBurstSeconds = 2
/** Packets of any kind for each message that would be allowed; beyond it, it is no chat any more. */
const packetsPerMessage = 10
const minPacketsPerSecond = 100

/** Who may connect, by address, and how much each connection may send of whatever kind. */
export function createAdmission(limits: AdmissionLimits, now: () => number = Date.now) {
  const { maxConnectionsPerIp, messagesPerSecond, messagesPerSecondPerIp } = limits
  const connections = new Map<string, number>()
  const handshakes = createBucketPerAddress(
    maxConnectionsPerIp === 0 ? 0 : handshakesPerSecond,
    maxConnectionsPerIp * handshakeBurstPerConnection,
  )
  const readableRefusals = createBucketPerAddress(readableRefusalsPerSecond)
  const packetsPerSecond = messagesPerSecond === 0 ? 0 : packetRate(messagesPerSecond)
  const addressPackets = messagesPerSecondPerIp === 0 ? 0 : packetRate(messagesPerSecondPerIp)
  const packets = createBucketPerAddress(addressPackets, addressPackets * addressBurstSeconds)
  const penalties = new Map<string, Penalty>()

  function refusalFor(key: string | null, nowMs: number): Refusal | null {
    if (key === null) return null
    const penaltyMs = (penalties.get(key)?.untilMs ?? 0) - nowMs
    if (penaltyMs > 0) return new RefusalError('rate_limited', 'This address has sent far too much.', penaltyMs)
    if (maxConnectionsPerIp > 0 && (connections.get(key) ?? 0) >= maxConnectionsPerIp) {
      return new RefusalError('rate_limited', 'There are too many connections from this address.', fullRetryMs)
    }
    const waitMs = handshakes.take(key, nowMs)
    if (waitMs === 0) return null
    return new RefusalError('rate_limited', 'This address connects too often.', waitMs)
  }

  function count(key: string | null, change: 1 | -1): void {
    if (key === null) return
    const total = (connections.get(key) ?? 0) + change
    if (total === 0) connections.delete(key)
    else connections.set(key, total)
  }

  function penalize(key: string | null, nowMs: number): void {
    if (key === null) return
    const before = penalties.get(key)
    if (before !== undefined && before.untilMs > nowMs) return
    for (const [other, { untilMs }] of penalties) if (nowMs - untilMs > relapseWithinMs) penalties.delete(other)
    const lengthMs = penalties.has(key) && before !== undefined ? before.lengthMs * 2 : firstPenaltyMs
    penalties.set(key, {
      lengthMs: Math.min(maxPenaltyMs, lengthMs),
      untilMs: nowMs + Math.min(maxPenaltyMs, lengthMs),
    })
  }

  return {
    /** At the door: throws for whoever is turned away at once; the rest come in, some only to be told why not. */
    admit(address: string): Admitted {
      const nowMs = now()
      const key = limitKey(address)
      const refusal = refusalFor(key, nowMs)
      if (refusal !== null && readableRefusals.take(key, nowMs) > 0) throw refusal
      return {
        address,
        key,
        refusal,
        hasAskedToConnect: false,
        packetsLeft: packetsPerSecond * burstSeconds,
        countedAtMs: nowMs,
      }
    },
    enter: (admitted: Admitted) => count(admitted.key, 1),
    leave: (admitted: Admitted) => count(admitted.key, -1),

    /** Counts a packet of whatever kind; `false` when this admitted floods, and its address is not to come back at once. */
    notePacket(admitted: Admitted): boolean {
      if (packetsPerSecond === 0) return true
      const nowMs = now()
      const earned = (Math.max(0, nowMs - admitted.countedAtMs) * packetsPerSecond) / 1_000
      admitted.packetsLeft = Math.min(packetsPerSecond * burstSeconds, admitted.packetsLeft + earned) - 1
      admitted.countedAtMs = nowMs
      if (admitted.packetsLeft >= 0 && packets.take(admitted.key, nowMs) === 0) return true
      penalize(admitted.key, nowMs)
      return false
    },
    size: () => connections.size + penalties.size,
  }
}

export type Admission = ReturnType<typeof createAdmission>

function packetRate(messagesPerSecond: number): number {
  return Math.max(minPacketsPerSecond, messagesPerSecond * packetsPerMessage)
}
