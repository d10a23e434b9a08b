import { monotonicMs } from '../base/monotonic-ms.ts'
import type { Networks } from './addresses.ts'
import { createNetworkBuckets } from './network-buckets.ts'
import { putNewest } from '../base/newest-entries.ts'
import type { Rate } from './token-bucket.ts'

/** Number of visitors of an address in addition to its allowed connections: they load a page, register or log in. */
const extraVisitors = 64
/**
 * Requests of one visitor in a burst. The first load of a page takes about 20, and all clients of an address may load it at
 * once.
 */
const requestBurst = 20
/**
 * Sustained rate of one visitor. A page uses a WebSocket; a client with HTTP polling makes a few requests for each message.
 */
const requestsPerSecond = 1
/** Bytes of one visitor in a burst. The first load of a page takes 150 KB; a list of users can take more. */
const byteBurst = 262_144
const bytesPerSecond = 16_384
/** Number of rejections before the server blocks the address or network. */
const rejectionBurst = 100
const rejectionsPerSecond = 1
export const blockMs = 10_000
export const maxBlocked = 4_000

/** Returns the rates of an address: for each visitor, one page load at once and one request per second. */
export function requestRates(maxConnectionsPerIp: number): { requests: Rate; bytes: Rate } {
  const visitors = maxConnectionsPerIp === 0 ? 0 : maxConnectionsPerIp + extraVisitors
  return {
    requests: { perSecond: visitors * requestsPerSecond, burst: visitors * requestBurst },
    bytes: { perSecond: visitors * bytesPerSecond, burst: visitors * byteBurst },
  }
}

/**
 * Creates the budget for the HTTP requests of each address and network. A request counts even if its response is an error,
 * because an error costs as much CPU time as a success. An address or network that continues after its rejections is
 * blocked for a while.
 */
export function createRequestBudget(maxConnectionsPerIp: number, now: () => number = monotonicMs) {
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

  /** Counts a rejection for the narrowest exhausted network only, so that its neighbours are not blocked. */
  function noteRejection(networks: Networks, nowMs: number): void {
    const exhausted =
      requests.findExhausted(networks, nowMs) ?? bytes.findExhausted(networks, nowMs) ?? networks.address
    if (rejections.take({ address: exhausted, site: null, network: null }, nowMs) === 0) return
    putNewest(blockedUntilMs, exhausted, nowMs + blockMs, maxBlocked)
  }

  return {
    /** Charges one request. Returns `false` if the budget is used up or the client is blocked. Loopback (`null`) has no limit. */
    take(networks: Networks | null): boolean {
      if (networks === null) return true
      const nowMs = now()
      if (isBlocked(networks, nowMs)) return false
      if (bytes.waitMs(networks, nowMs) === 0 && requests.take(networks, nowMs) === 0) return true
      noteRejection(networks, nowMs)
      return false
    },
    /** Returns whether the server closes connections of these networks without a response. */
    isBlocked: (networks: Networks | null) => isBlocked(networks),
    /** Charges requests that the client has already made; a negative count is a refund. */
    spendRequest: (networks: Networks | null, count = 1) => requests.spend(networks, now(), count),
    spendBytes: (networks: Networks | null, count: number) => bytes.spend(networks, now(), count),
    size: () => requests.size() + bytes.size() + rejections.size() + blockedUntilMs.size,
  }
}

export type RequestBudget = ReturnType<typeof createRequestBudget>
