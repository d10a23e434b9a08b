import type { events } from '../../../contract/events.ts'
import type { PresenceDelta, PresenceVersion } from '../../../contract/presence.ts'
import type { EncodedPackets } from '../deliver/encoded-packets.ts'
import { defaultSlicing } from '../deliver/slicing.ts'
import { createPresence } from './presence.ts'

type Received =
  | [typeof events.onlineUsers, string[], PresenceVersion?]
  | [typeof events.onlineUsersDelta, PresenceDelta]

export interface Watcher {
  wantsDeltas: boolean
  wantsPositions: boolean
  received: Received[]
  hasUnreadList: boolean
  hasBudget: boolean
}

/** Opens presence whose watchers record the events that they receive. */
export function openPresence(slicing = defaultSlicing) {
  const write = (watchers: readonly Watcher[], { packets }: EncodedPackets) => {
    for (const { received } of watchers)
      received.push(...packets.map((packet) => JSON.parse(packet.slice(1)) as Received))
  }
  return createPresence<Watcher>(
    {
      write,
      writeList: write,
      hasUnreadList: (watcher) => watcher.hasUnreadList,
      takeListBudget: (watcher) => watcher.hasBudget,
    },
    slicing,
  )
}

export function createWatcher(wantsDeltas: boolean, wantsPositions = true): Watcher {
  return { wantsDeltas, wantsPositions, received: [], hasUnreadList: false, hasBudget: true }
}
