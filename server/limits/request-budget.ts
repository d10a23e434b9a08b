import type { Networks } from './addresses.ts'
import { createNetworkBuckets } from './network-buckets.ts'
import { putNewest } from '../base/newest-entries.ts'
import type { Rate } from './token-bucket.ts'

/** Beside those who are in the room, an address has visitors who read a page, register or log in. */
const extraVisitors = 64
/** The first load of a page is some 20 requests and connections; all who are behind one address may come at once. */
const requestBurst = 20
/** What goes on after it: a page talks over a WebSocket, and whoever polls asks a few times for each message. */
const requestsPerSecond = 1
/** A first load is 150 KB, a list of users some more. */
const byteBurst = 262_144
const bytesPerSecond = 16_384
/** So many refusals are read and heeded, or not; after them the address is not even listened to. */
const rejectionBurst = 100
const rejectionsPerSecond = 1
export const blockMs = 10_000
export const maxBlocked = 4_000

/** For each connection that it may have, an address has a page load at once and a request a second. */
export function requestRates(maxConnectionsPerIp: number): { visitors: number; requests: Rate; bytes: Rate } {
  const visitors = maxConnectionsPerIp === 0 ? 0 : maxConnectionsPerIp + extraVisitors
  return {
    visitors,
    requests: { perSecond: visitors * requestsPerSecond, burst: visitors * requestBurst },
    bytes: { perSecond: visitors * bytesPerSecond, burst: visitors * byteBurst },
  }
}

/**
 * What the requests of an address, and of a network, may cost, whatever they are for and however they are answered: a
 * refusal takes as much of the event loop as an answer. `docs/limits.md` has the figures for the default.
 */
export function createRequestBudget(maxConnectionsPerIp: number, now: () => number = Date.now) {
  const rates = requestRates(maxConnectionsPerIp)
  const requests = createNetworkBuckets(rates.requests)
  const bytes = createNetworkBuckets(rates.bytes)
  const rejections = createNetworkBuckets({ perSecond: rejectionsPerSecond, burst: rejectionBurst })
  const blockedUntilMs = new Map<string, number>()

  const isKeyBlocked = (key: string | null, nowMs: number) => key !== null && (blockedUntilMs.get(key) ?? 0) > nowMs

  function isBlocked(networks: Networks | null, nowMs = now()): boolean {
    if (networks === null || blockedUntilMs.size === 0) return false
    const { address, site, network } = networks
    return isKeyBlocked(address, nowMs) || isKeyBlocked(site, nowMs) || isKeyBlocked(network, nowMs)
  }

  /** Only the narrowest of its networks that has used up its own: the neighbours have done nothing. */
  function noteRejection(networks: Networks, nowMs: number): void {
    const blamed = requests.findExhausted(networks, nowMs) ?? bytes.findExhausted(networks, nowMs) ?? networks.address
    if (rejections.take({ address: blamed, site: null, network: null }, nowMs) === 0) return
    putNewest(blockedUntilMs, blamed, nowMs + blockMs, maxBlocked)
  }

  return {
    /** `false` when there is nothing left for a request of these. `null`, which is loopback, has no budget. */
    take(networks: Networks | null): boolean {
      if (networks === null) return true
      const nowMs = now()
      if (isBlocked(networks, nowMs)) return false
      if (bytes.waitMs(networks, nowMs) === 0 && requests.take(networks, nowMs) === 0) return true
      noteRejection(networks, nowMs)
      return false
    },
    /** Whether these went on asking after they were refused: their connections are not worth an answer. */
    isBlocked: (networks: Networks | null) => isBlocked(networks),
    spendRequest: (networks: Networks | null) => requests.spend(networks, now()),
    spendBytes: (networks: Networks | null, count: number) => bytes.spend(networks, now(), count),
    size: () => requests.size() + bytes.size() + rejections.size() + blockedUntilMs.size,
  }
}

export type RequestBudget = ReturnType<typeof createRequestBudget>
