import { type NetworkScope, type Networks } from './addresses.ts'
import { createNetworkBuckets } from './network-buckets.ts'
import { createTokenBucket, type Rate, type TokenBucket, tokenWaitMs } from './token-bucket.ts'

/**
 * Part of the time of each input that the meter does not charge. It allows for garbage collection and other noise that the
 * sender does not cause.
 */
export const freeMs = 1
/** Maximum charge of one input, so that a suspension of the process during an input does not block its address for long. */
const maxChargeMs = 1_000

/**
 * Rate limit of an address in milliseconds of CPU time. Connections and requests have a meter each, together 20 % of
 * a core.
 */
export const addressCost: Rate = { perSecond: 100, burst: 200 }
export const connectionCost: Rate = { perSecond: 50, burst: 100 }
/**
 * Cost limit of a network, as a multiple of the limit of one address. It is lower than for other limits, because four
 * addresses at their limits would delay all clients.
 */
export const costMultiplier: Readonly<Record<NetworkScope, number>> = { address: 1, site: 1.5, network: 2 }
/**
 * Debt above which the server rejects every input of an address or network, including inputs of connections that have
 * cost nothing.
 */
export const maxDebtMs = 500
/**
 * Minimum cost of a connection that the meter closes because its address or network is above the limit. A lower cost
 * can be noise.
 */
const minClosedMs = 20
/** Maximum number of tracked connections. Above it, the meter evicts those that it charged least recently. */
const maxConnections = 4_000

interface CostClocks {
  now: () => number
  /** Returns the CPU time of this thread. */
  cpuMs: () => number
}

const systemClocks: CostClocks = {
  now: () => performance.now(),
  cpuMs() {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1_000
  },
}

interface ConnectionRecord {
  networks: Networks
  bucket: TokenBucket
}

/**
 * Limits the CPU time that connections, addresses and networks use, whatever they use it for. A connection above
 * its limit is closed. When an address or network is above its limit, its costliest connection is closed. Other clients
 * behind the same address stay connected. Only inputs of more than `freeMs` count. Loopback has no limit. Each input is
 * timed by the clock, which is cheap to read. A charge is at most the CPU time that the thread has used since the
 * input started, within a millisecond. The sender is not charged for time in which the process waits for a core.
 */
export function createCostMeter<Connection extends object>(
  close: (connection: Connection, networks: Networks) => void,
  { now, cpuMs }: CostClocks = systemClocks,
) {
  const buckets = createNetworkBuckets(addressCost, costMultiplier)
  /** Connections with recent cost. */
  const records = new Map<Connection, ConnectionRecord>()
  /** Time after which no network is in debt; 0 if none is. Most calls return after one comparison with it. */
  let inDebtUntilMs = 0
  /** Clock time and CPU time of the last sample. The current input started less than `freeMs` after the sample. */
  let [sampledAtMs, sampledCpuMs] = [now(), cpuMs()]

  function recordOf(connection: Connection, networks: Networks, nowMs: number): ConnectionRecord {
    const record = records.get(connection) ?? { networks, bucket: createTokenBucket(connectionCost, nowMs) }
    records.delete(connection)
    records.set(connection, record)
    for (const [oldest, { bucket }] of records) {
      const isFull = tokenWaitMs(bucket, connectionCost, nowMs, connectionCost.burst) === 0
      if (oldest === connection || (!isFull && records.size <= maxConnections)) break
      records.delete(oldest)
    }
    return record
  }

  function closeOne(connection: Connection, networks: Networks): void {
    records.delete(connection)
    close(connection, networks)
  }

  function closeCostliest(key: string, nowMs: number): void {
    let costliest: [Connection, Networks] | null = null
    let fewest = connectionCost.burst - minClosedMs
    for (const [connection, { networks, bucket }] of records) {
      if (networks.address !== key && networks.site !== key && networks.network !== key) continue
      tokenWaitMs(bucket, connectionCost, nowMs)
      if (bucket.tokens > fewest) continue
      costliest = [connection, networks]
      fewest = bucket.tokens
    }
    if (costliest !== null) closeOne(...costliest)
  }

  function waitMs(networks: Networks | null, debtMs: number): number {
    if (inDebtUntilMs === 0) return 0
    const nowMs = now()
    if (nowMs >= inDebtUntilMs) inDebtUntilMs = 0
    return inDebtUntilMs === 0 ? 0 : buckets.waitMs(networks, nowMs, -debtMs)
  }

  return {
    /** Starts to measure an input. Returns the time to pass to `costSince`. */
    start(): number {
      const nowMs = now()
      if (nowMs - sampledAtMs >= freeMs) [sampledAtMs, sampledCpuMs] = [nowMs, cpuMs()]
      return nowMs
    },
    /** Returns the chargeable time since `startedMs`; 0 for almost every input. */
    costSince(startedMs: number): number {
      const timedMs = now() - startedMs - freeMs
      return timedMs > 0 ? Math.min(maxChargeMs, timedMs, cpuMs() - sampledCpuMs) : 0
    },
    /** Charges a cost to the networks, and to the connection unless it is `null`. May close connections. */
    charge(networks: Networks | null, connection: Connection | null, costMs: number): void {
      if (networks === null || costMs === 0) return
      const nowMs = now()
      buckets.spend(networks, nowMs, costMs)
      if (buckets.waitMs(networks, nowMs, 0) > 0) {
        inDebtUntilMs = Math.max(inDebtUntilMs, nowMs) + (costMs * 1_000) / addressCost.perSecond
      }
      if (connection !== null) {
        const { bucket } = recordOf(connection, networks, nowMs)
        tokenWaitMs(bucket, connectionCost, nowMs)
        bucket.tokens -= costMs
        if (bucket.tokens < 0) return closeOne(connection, networks)
      }
      const exhausted = buckets.findExhausted(networks, nowMs)
      if (exhausted !== null) closeCostliest(exhausted, nowMs)
    },
    /** Returns 0, or the time until these networks may open connections and send requests again. */
    waitMs: (networks: Networks | null): number => waitMs(networks, 0),
    /**
     * Returns 0, or the time until open connections of these networks may send again. Networks may have a debt of up to
     * `maxDebtMs`.
     */
    inputWaitMs: (networks: Networks | null): number => waitMs(networks, maxDebtMs),
    size: () => records.size + buckets.size(),
  }
}

export type CostMeter<Connection extends object> = ReturnType<typeof createCostMeter<Connection>>
