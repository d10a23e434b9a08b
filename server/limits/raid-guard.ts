import { roomBusyText } from '../base/common-rejections.ts'
import { monotonicMs } from '../base/monotonic-ms.ts'
import { RejectionError } from '../base/rejection-error.ts'
import type { Report } from '../observe/events.ts'
import { limitedNetworks, widestNetwork } from './addresses.ts'
import { createNetworkBuckets } from './network-buckets.ts'

const minSpikePerSecond = 100
const spikeFactor = 8
/** Minimum number of networks in a raid. One owner can have a whole /48, which has its own limits. */
const minNetworks = 20
/** Maximum part of one network, so that one network at its limit and nineteen quiet ones are not a raid. */
const maxPartOfSpike = 0.1
/** A longer message counts as several, so that a flood of few long messages is detected too. */
const bytesPerMessage = 1_024
const spikeSeconds = 3
/** Time constant of the moving average of the usual rate. */
const averageSeconds = 300
/** A room that has just opened has no usual rate to compare with. */
const warmUpSeconds = 60
const firstHoldMs = 60_000
const maxHoldMs = 600_000
const raidPerSecond = { anonymous: 0.1, account: 0.5 } as const

export type RaidLevel = 'none' | 'anonymous' | 'all'

interface Counts {
  messages: number
  fromAccounts: number
}

interface Second {
  messages: number
  networks: Map<string, Counts>
}

/**
 * Limits anonymous senders when many networks together raise the message rate far above the usual rate, and accounts
 * too when accounts alone do so. Only accepted messages count. They do not show whether a raid continues behind the
 * limit, so raid mode ends after a while, and lasts longer each time the raid resumes.
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
  let raidLimits = createRaidLimits()
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
    // Messages during a raid do not change the usual rate.
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
    else if (level === 'anonymous' && minPerSecond('fromAccounts') >= spike) set('all', nowMs)
  }

  function set(next: RaidLevel, nowMs: number): void {
    if (level === 'none') {
      const isRepeated = heldUntilMs !== 0 && nowMs - heldUntilMs < holdMs
      holdMs = isRepeated ? Math.min(maxHoldMs, holdMs * 2) : firstHoldMs
    }
    level = next
    if (next === 'none') raidLimits = createRaidLimits()
    else {
      heldUntilMs = nowMs + holdMs
      // Without the timer, a silent room would report the end of the raid only with its next message.
      clearTimeout(ending)
      ending = setTimeout(() => advance(now()), holdMs).unref()
    }
    const messages = recent.reduce((sum, one) => sum + one.messages, 0)
    report({ type: 'raid-level-changed', level, perSecond: Math.round(messages / spikeSeconds) })
  }

  return {
    /** Returns a function that throws if this sender must wait because of a raid. Otherwise it counts the message. */
    forSender(address: string, isAccount: boolean): (messageBytes: number) => void {
      const networks = limitedNetworks(address)
      if (networks === null) return () => undefined
      const network = widestNetwork(networks)
      return (messageBytes) => {
        const nowMs = now()
        advance(nowMs)
        if (level === 'all' || (level === 'anonymous' && !isAccount)) {
          const waitMs = raidLimits[isAccount ? 'account' : 'anonymous'].take(networks, nowMs)
          if (waitMs > 0) throw new RejectionError('rate_limited', roomBusyText, waitMs)
        }
        const messages = Math.max(1, Math.ceil(messageBytes / bytesPerMessage))
        current.messages += messages
        const counts = current.networks.get(network) ?? { messages: 0, fromAccounts: 0 }
        current.networks.set(network, counts)
        counts.messages += messages
        if (isAccount) counts.fromAccounts += messages
      }
    },
  }
}

export type RaidGuard = ReturnType<typeof createRaidGuard>

function emptySecond(): Second {
  return { messages: 0, networks: new Map() }
}

/** Returns the messages of a second. Each network counts only up to its maximum part of a spike. */
function countCapped({ networks }: Second, count: keyof Counts, spike: number): number {
  let sum = 0
  for (const counts of networks.values()) sum += Math.min(counts[count], spike * maxPartOfSpike)
  return sum
}

function createRaidLimits() {
  return {
    anonymous: createNetworkBuckets({ perSecond: raidPerSecond.anonymous, burst: 1 }),
    account: createNetworkBuckets({ perSecond: raidPerSecond.account, burst: 1 }),
  }
}
