import { events } from '../../contract/events.ts'
import { createParcel, eventPacketOf, type Parcel } from '../fanout/parcel.ts'
import { createPresenceList } from './presence-list.ts'

/** Changes are gathered for so long before everybody else hears of them. */
const gatherMs = 200

/**
 * Whole lists, for clients that did not ask for deltas, never take more than this of the network while people come and
 * go, and no more than this again for the lists that are sent once nobody has for a while.
 */
const listBytesPerSecond = 8 * 1_024 * 1_024
const settledAfterMs = 1_000
/** A crowd's lists leave in portions, so that talk gets in between. */
const portionBytes = 4 * 1_024 * 1_024

export interface PresenceWatcher {
  readonly wantsDeltas: boolean
}

/** Tells everybody who is online: the joiner at once, all others together, at a cost that stays bounded. */
export function createPresence<W extends PresenceWatcher>(write: (watchers: readonly W[], parcel: Parcel) => void) {
  const list = createPresenceList()
  const plainWatchers = new Set<W>()
  const deltaWatchers = new Set<W>()
  let gathering: NodeJS.Timeout | undefined
  let changedAt = 0
  let plainListsWanted = false
  let plainListsDueAt = 0
  let settledListsDueAt = 0
  let plainListsTimer: NodeJS.Timeout | undefined
  let nextPortion: NodeJS.Immediate | undefined

  /** The list as of now. A joiner's version lies before the changes that are still gathering; the delta repeats them. */
  function listParcel(): Parcel {
    return createParcel([eventPacketOf(events.onlineUsers, list.ids(), { version: list.version() })])
  }

  function changed(): void {
    changedAt = performance.now()
    gathering ??= setTimeout(publish, gatherMs)
  }

  function publish(): void {
    gathering = undefined
    if (!list.hasChanges()) return
    const delta = createParcel([eventPacketOf(events.onlineUsersDelta, list.takeDelta())])
    write([...deltaWatchers], delta)
    plainListsWanted = true
    sendPlainLists()
  }

  function sendPlainLists(): void {
    clearTimeout(plainListsTimer)
    if (!plainListsWanted || plainWatchers.size === 0) return
    const now = performance.now()
    const settledAt = Math.max(changedAt + settledAfterMs, settledListsDueAt)
    const waitMs = Math.min(plainListsDueAt, settledAt) - now
    if (waitMs > 0) {
      plainListsTimer = setTimeout(sendPlainLists, waitMs)
      return
    }
    plainListsWanted = false
    const costMs = (listParcel().frames.length * plainWatchers.size * 1_000) / listBytesPerSecond
    if (now >= plainListsDueAt) plainListsDueAt = now + costMs
    else settledListsDueAt = now + costMs
    clearImmediate(nextPortion)
    sendPortion([...plainWatchers])
  }

  function sendPortion(watchers: readonly W[]): void {
    const parcel = listParcel()
    const count = Math.max(1, Math.floor(portionBytes / parcel.frames.length))
    const portion = watchers.slice(0, count).filter((watcher) => plainWatchers.has(watcher))
    write(portion, parcel)
    const rest = watchers.slice(count)
    if (rest.length > 0) nextPortion = setImmediate(sendPortion, rest)
  }

  return {
    /** Every connected socket is listed, whatever it is for. */
    join(id: string): void {
      list.join(id)
      changed()
    },
    leave(id: string): void {
      list.leave(id)
      changed()
    },
    watch(watcher: W): void {
      const watchers = watcher.wantsDeltas ? deltaWatchers : plainWatchers
      watchers.add(watcher)
      write([watcher], listParcel())
    },
    /** Only those who watch are told; a messaging connection that asks gets nothing. */
    resync(watcher: W): void {
      if (deltaWatchers.has(watcher) || plainWatchers.has(watcher)) write([watcher], listParcel())
    },
    unwatch(watcher: W): void {
      deltaWatchers.delete(watcher)
      plainWatchers.delete(watcher)
    },
    size: () => list.size(),
    stop(): void {
      clearTimeout(gathering)
      clearTimeout(plainListsTimer)
      clearImmediate(nextPortion)
    },
  }
}

export type Presence<W extends PresenceWatcher> = ReturnType<typeof createPresence<W>>
