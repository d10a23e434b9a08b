import { RejectionError } from '../base/rejection-error.ts'
import { limitedNetworks, widestNetwork } from './addresses.ts'
import { createNetworkBuckets } from './network-buckets.ts'

const floorPerSecond = 100
const spikeFactor = 8
/** Networks as wide as one owner may have: a single /48 holds 65,536 addresses, and its own limits. */
const minNetworks = 20
/** What one network can add to a spike at most: else one at its limit would make a raid of nineteen quiet ones. */
const maxPartOfSpike = 0.1
/** A longer message counts as several: a flood of few long ones is a flood all the same. */
const bytesPerMessage = 1_024
const spikeSeconds = 3
/** What counts as the recent level: a mean that forgets within some minutes. */
const levelSeconds = 300
/** A room that has just been opened has no recent level to compare with. */
const warmUpSeconds = 60
const firstHoldMs = 60_000
const maxHoldMs = 600_000
const slowPerSecond = { anonymous: 0.1, account: 0.5 } as const

export type RaidLevel = 'none' | 'anonymous' | 'everybody'

export const raidLogLines: Record<RaidLevel, string> = {
  none: 'raid mode is off',
  anonymous: 'raid mode is on: anonymous senders are slowed',
  everybody: 'raid mode is on: everybody is slowed',
}

interface Counts {
  messages: number
  fromAccounts: number
}

interface Second {
  messages: number
  networks: Map<string, Counts>
}

/**
 * When many networks together raise the room's rate far above its recent level, each anonymous address is slowed; when
 * accounts alone do so, they are too. Only accepted messages count, so that what was refused anyway changes nothing;
 * and as they cannot tell whether a raid goes on behind the brake, it is let go after a while, longer after each relapse.
 */
export function createRaidGuard(onChange: (level: RaidLevel, perSecond: number) => void, now: () => number = Date.now) {
  let second = Math.floor(now() / 1_000)
  const recent: Second[] = []
  let current = emptySecond()
  let usualPerSecond = 0
  let observedSeconds = 0
  let level: RaidLevel = 'none'
  let heldUntilMs = 0
  let holdMs = firstHoldMs
  let slow = createBrakes()
  let ending: NodeJS.Timeout | undefined

  function advance(nowMs: number): void {
    const nowSecond = Math.floor(nowMs / 1_000)
    const elapsed = Math.max(0, nowSecond - second)
    for (let step = 0; step < Math.min(elapsed, levelSeconds); step++) endSecond(nowMs)
    second = Math.max(second, nowSecond)
    if (level !== 'none' && nowMs >= heldUntilMs) set('none', nowMs)
  }

  function endSecond(nowMs: number): void {
    recent.push(current)
    current = emptySecond()
    const past = recent.length > spikeSeconds ? recent.shift() : undefined
    // The level that a raid has made is nobody's usual level.
    if (level === 'none' && past !== undefined) {
      observedSeconds++
      usualPerSecond += (past.messages - usualPerSecond) / Math.min(observedSeconds, levelSeconds)
    }
    judge(nowMs)
  }

  function judge(nowMs: number): void {
    if (recent.length < spikeSeconds || observedSeconds < warmUpSeconds) return
    const spike = Math.max(floorPerSecond, usualPerSecond * spikeFactor)
    const networks = new Set(recent.flatMap((one) => [...one.networks.keys()]))
    if (networks.size < minNetworks) return
    const slowest = (count: keyof Counts) => Math.min(...recent.map((one) => spreadOf(one, count, spike)))
    if (level === 'none' && slowest('messages') >= spike) set('anonymous', nowMs)
    else if (level === 'anonymous' && slowest('fromAccounts') >= spike) set('everybody', nowMs)
  }

  function set(next: RaidLevel, nowMs: number): void {
    if (level === 'none') {
      const isRelapse = heldUntilMs !== 0 && nowMs - heldUntilMs < holdMs
      holdMs = isRelapse ? Math.min(maxHoldMs, holdMs * 2) : firstHoldMs
    }
    level = next
    if (next === 'none') slow = createBrakes()
    else {
      heldUntilMs = nowMs + holdMs
      // Else a room that has fallen silent would tell of the end only with its next message.
      clearTimeout(ending)
      ending = setTimeout(() => advance(now()), holdMs).unref()
    }
    const messages = recent.reduce((sum, one) => sum + one.messages, 0)
    onChange(level, Math.round(messages / spikeSeconds))
  }

  return {
    /** A function that throws when a raid is on and this sender has to wait; otherwise the message counts as accepted. */
    forSender(address: string, isAccount: boolean): (messageBytes: number) => void {
      const networks = limitedNetworks(address)
      if (networks === null) return () => undefined
      const network = widestNetwork(networks)
      return (messageBytes) => {
        const nowMs = now()
        advance(nowMs)
        if (level === 'everybody' || (level === 'anonymous' && !isAccount)) {
          const waitMs = slow[isAccount ? 'account' : 'anonymous'].take(networks, nowMs)
          if (waitMs > 0)
            throw new RejectionError('rate_limited', 'The room is very busy. Please wait a moment.', waitMs)
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

/** The messages of a second, those of each network only up to its part of a spike. */
function spreadOf({ networks }: Second, count: keyof Counts, spike: number): number {
  let sum = 0
  for (const counts of networks.values()) sum += Math.min(counts[count], spike * maxPartOfSpike)
  return sum
}

function createBrakes() {
  return {
    anonymous: createNetworkBuckets({ perSecond: slowPerSecond.anonymous, burst: 1 }),
    account: createNetworkBuckets({ perSecond: slowPerSecond.account, burst: 1 }),
  }
}
