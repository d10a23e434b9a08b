import { events } from '../../contract/events.ts'
import { encodePackets, eventPacketOf, type EncodedPackets } from '../fanout/encoded-packets.ts'
import { createPresenceList } from './presence-list.ts'
import { createWholeLists } from './whole-lists.ts'

/** Changes are gathered for so long before everybody else hears of them. */
const gatherMs = 200

export interface PresenceWatcher {
  readonly wantsDeltas: boolean
}

/** Tells everybody who is online: the joiner at once, all others together, at a cost that stays bounded. */
export function createPresence<W extends PresenceWatcher>(
  write: (watchers: readonly W[], packets: EncodedPackets) => void,
) {
  const list = createPresenceList()
  const wholeLists = createWholeLists(listPackets, write)
  const deltaWatchers = new Set<W>()
  let gathering: NodeJS.Timeout | undefined

  /** The list as of now. A joiner's version lies before the changes that are still gathering; the delta repeats them. */
  function listPackets(): EncodedPackets {
    return encodePackets([eventPacketOf(events.onlineUsers, list.ids(), { version: list.version() })])
  }

  function changed(): void {
    wholeLists.noteChange()
    gathering ??= setTimeout(publish, gatherMs)
  }

  function publish(): void {
    gathering = undefined
    if (!list.hasChanges()) return
    const delta = encodePackets([eventPacketOf(events.onlineUsersDelta, list.takeDelta())])
    write([...deltaWatchers], delta)
    wholeLists.send()
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
      const watchers = watcher.wantsDeltas ? deltaWatchers : wholeLists.watchers
      watchers.add(watcher)
      write([watcher], listPackets())
    },
    /** Only those who watch are told; a messaging connection that asks gets nothing. */
    resync(watcher: W): void {
      if (deltaWatchers.has(watcher) || wholeLists.watchers.has(watcher)) write([watcher], listPackets())
    },
    unwatch(watcher: W): void {
      deltaWatchers.delete(watcher)
      wholeLists.watchers.delete(watcher)
    },
    size: () => list.size(),
    stop(): void {
      clearTimeout(gathering)
      wholeLists.stop()
    },
  }
}

export type Presence<W extends PresenceWatcher> = ReturnType<typeof createPresence<W>>
