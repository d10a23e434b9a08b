import { roomBusyText } from '../base/common-rejections.ts'
import { monotonicMs } from '../base/monotonic-ms.ts'
import { RejectionError } from '../base/rejection-error.ts'
import { putNewest } from '../base/newest-entries.ts'
import type { Report } from '../observe/events.ts'
import { limitedNetworks, widestNetwork } from './addresses.ts'
import { maxBuckets } from './network-buckets.ts'
import { type ConnectionBucket, createRaidLimits } from './raid-limits.ts'
import { countMessage, createStanding, isEstablished, type Standing } from './sender-standing.ts'

const minSpikePerSecond = 100
const spikeFactor = 8
/**
 * Minimum number of networks in a raid. The addresses of a /48 count as one network, because one owner can have all of
 * them.
 */
const minNetworks = 20
/**
 * Maximum share of the spike threshold that one network can contribute. Otherwise, one network at its limit and
 * nineteen quiet networks would count as a raid.
 */
const maxPartOfSpike = 0.1
/**
 * Maximum size of a message that counts as one message. A longer message counts as several, so that a flood of few long
 * messages is detected too.
 */
const bytesPerMessage = 1_024
const spikeSeconds = 3
/** Time constant of the moving average of the usual rate. */
const averageSeconds = 300
/** Time after the start in which there is no usual rate to compare with. */
const warmUpSeconds = 60
const firstHoldMs = 60_000
const maxHoldMs = 600_000
/** Number of messages in a spike above which a network counts as one of its causes. */
const causeAboveMessages = 2 * spikeSeconds

/** Counts an admitted message. The caller calls it after the message is stored. */
export type CountStored = () => void

export type RaidLevel = 'none' | 'anonymous' | 'all'

interface Counts {
  messages: number
  fromTrusted: number
}

interface Second {
  messages: number
  networks: Map<string, Counts>
}

/**
 * Limits newcomers when many networks together raise the message rate far above the usual rate. Limits trusted senders
 * too when their messages alone raise it that far. Trusted senders are accounts, and connections and addresses that
 * have sent at a normal rate for some time. Only stored messages count, because rejected messages disturb no user. The
 * count of stored messages does not show whether a raid continues during raid mode. So raid mode ends after a while,
 * and lasts longer each time the raid resumes.
 */
export function createRaidGuard(report: Report, now: () => number = monotonicMs) {
  let second = Math.floor(now() / 1_000)
  const recent: Second[] = []
  let current = emptySecond()
  let usualPerSecond = 0
  let observedSeconds = 0
  let level: RaidLevel = 'none'
  let heldUntilMs = 0
  let holdMs = firstHoldMs
  let raidLimits = createRaidLimits(new Set())
  const standings = new Map<string, Standing>()
  let ending: NodeJS.Timeout | undefined

  function advance(nowMs: number): void {
    const nowSecond = Math.floor(nowMs / 1_000)
    const elapsed = Math.max(0, nowSecond - second)
    for (let step = 0; step < Math.min(elapsed, averageSeconds); step++) endSecond(nowMs)
    second = Math.max(second, nowSecond)
    if (level !== 'none' && nowMs >= heldUntilMs) set('none', nowMs)
  }

  function endSecond(nowMs: number): void {
    recent.push(current)
    current = emptySecond()
    const past = recent.length > spikeSeconds ? recent.shift() : undefined
    // The usual rate does not change in raid mode.
    if (level === 'none' && past !== undefined) {
      observedSeconds++
      usualPerSecond += (past.messages - usualPerSecond) / Math.min(observedSeconds, averageSeconds)
    }
    updateLevel(nowMs)
  }

  function updateLevel(nowMs: number): void {
    if (recent.length < spikeSeconds || observedSeconds < warmUpSeconds) return
    const spike = Math.max(minSpikePerSecond, usualPerSecond * spikeFactor)
    const networks = new Set(recent.flatMap((one) => [...one.networks.keys()]))
    if (networks.size < minNetworks) return
    const minPerSecond = (count: keyof Counts) => Math.min(...recent.map((one) => countCapped(one, count, spike)))
    if (level === 'none' && minPerSecond('messages') >= spike) set('anonymous', nowMs)
    else if (level === 'anonymous' && minPerSecond('fromTrusted') >= spike) set('all', nowMs)
  }

  function set(next: RaidLevel, nowMs: number): void {
    if (level === 'none') {
      const isRepeated = heldUntilMs !== 0 && nowMs - heldUntilMs < holdMs
      holdMs = isRepeated ? Math.min(maxHoldMs, holdMs * 2) : firstHoldMs
    }
    level = next
    if (next !== 'none') {
      raidLimits = createRaidLimits(findCauses())
      heldUntilMs = nowMs + holdMs
      // Without the timer, a silent room would report the end of the raid only with its next message.
      clearTimeout(ending)
      ending = setTimeout(() => advance(now()), holdMs).unref()
    }
    const messages = recent.reduce((sum, one) => sum + one.messages, 0)
    report({ type: 'raid-level-changed', level, perSecond: Math.round(messages / spikeSeconds) })
  }

  function findCauses(): Set<string> {
    const totals = new Map<string, number>()
    for (const { networks } of recent) {
      for (const [network, { messages }] of networks) totals.set(network, (totals.get(network) ?? 0) + messages)
    }
    return new Set([...totals].flatMap(([network, total]) => (total > causeAboveMessages ? [network] : [])))
  }

  function standingOf(address: string, nowMs: number): Standing {
    const standing = standings.get(address) ?? createStanding(nowMs)
    putNewest(standings, address, standing, maxBuckets)
    return standing
  }

  return {
    /**
     * Returns a function that throws if this sender must wait because of a raid. Loopback has no limit and is not counted.
     */
    forSender(address: string, isAccount: boolean): (messageBytes: number) => CountStored {
      const networks = limitedNetworks(address)
      if (networks === null) return () => () => undefined
      const network = widestNetwork(networks)
      const ownBucket: ConnectionBucket = { raid: null, bucket: { tokens: 0, updatedAtMs: 0 } }
      let ownStanding: Standing | null = null
      return (messageBytes) => {
        const nowMs = now()
        advance(nowMs)
        ownStanding ??= createStanding(nowMs)
        const addressStanding = standingOf(networks.address, nowMs)
        const isTrusted = isAccount || isEstablished(ownStanding, nowMs) || isEstablished(addressStanding, nowMs)
        if (level === 'all' || (level === 'anonymous' && !isTrusted)) {
          const waitMs = raidLimits.take(isTrusted ? 'trusted' : 'newcomer', networks, network, ownBucket, nowMs)
          if (waitMs > 0) throw new RejectionError('rate_limited', roomBusyText, waitMs)
        }
        countMessage(ownStanding, nowMs)
        countMessage(addressStanding, nowMs)
        return () => {
          advance(now())
          const messages = Math.max(1, Math.ceil(messageBytes / bytesPerMessage))
          current.messages += messages
          const counts = current.networks.get(network) ?? { messages: 0, fromTrusted: 0 }
          current.networks.set(network, counts)
          counts.messages += messages
          if (isTrusted) counts.fromTrusted += messages
        }
      }
    },
  }
}

export type RaidGuard = ReturnType<typeof createRaidGuard>

function emptySecond(): Second {
  return { messages: 0, networks: new Map() }
}

/**
 * Returns the number of messages in a second, either of all senders or of trusted senders only. Each network counts
 * only up to its maximum.
 */
function countCapped({ networks }: Second, count: keyof Counts, spike: number): number {
  let sum = 0
  for (const counts of networks.values()) sum += Math.min(counts[count], spike * maxPartOfSpike)
  return sum
}
