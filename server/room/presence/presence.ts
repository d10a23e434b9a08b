import { events } from '../../../contract/events.ts'
import {
  encode,
  encodePackets,
  eventPacket,
  packetOfEncoded,
  specifiedPacketOfEncoded,
} from '../deliver/encoded-packets.ts'
import { createPresenceList } from './presence-list.ts'
import type { ListPackets, PresenceDelivery, PresenceWatcher } from './watcher.ts'
import { createWholeLists } from './whole-lists.ts'

/** Changes are gathered for so long before everybody else hears of them. */
const gatherMs = 200
/** Who had not taken its last list when the next was due gets the newest one after this time. */
const retryMs = 1_000

/** Tells everybody who is online: the joiner at once, all others together, at a cost that stays bounded. */
export function createPresence<W extends PresenceWatcher>(delivery: PresenceDelivery<W>) {
  const list = createPresenceList()
  const wholeLists = createWholeLists<W>(listPackets, writeLists)
  const deltaWatchers = new Set<W>()
  const waiting = new Set<W>()
  let gathering: NodeJS.Timeout | undefined
  let retrying: NodeJS.Timeout | undefined

  /** The list as of now. A joiner's version lies before the changes that are still gathering; the delta repeats them. */
  function listPackets(): ListPackets {
    const ids = encode(list.ids())
    const version = encode({ version: list.version() })
    return {
      positioned: encodePackets(() => [packetOfEncoded(events.onlineUsers, ids, version)]),
      specified: encodePackets(() => [specifiedPacketOfEncoded(events.onlineUsers, ids)]),
      bytes: ids.length,
    }
  }

  /** A list is never sent after one that is still unread: only the newest is worth anything. */
  function writeLists(watchers: readonly W[], packets: ListPackets): void {
    const [positioned, specified]: [W[], W[]] = [[], []]
    for (const watcher of watchers) {
      if (delivery.hasUnreadList(watcher)) waiting.add(watcher)
      else if (watcher.wantsPositions) positioned.push(watcher)
      else specified.push(watcher)
    }
    if (positioned.length > 0) delivery.writeList(positioned, packets.positioned)
    if (specified.length > 0) delivery.writeList(specified, packets.specified)
    if (waiting.size > 0) retrying ??= setTimeout(retry, retryMs)
  }

  function retry(): void {
    retrying = undefined
    const watchers = [...waiting]
    waiting.clear()
    writeLists(watchers, listPackets())
  }

  function changed(): void {
    wholeLists.noteChange()
    gathering ??= setTimeout(publish, gatherMs)
  }

  function publish(): void {
    gathering = undefined
    if (!list.hasChanges()) return
    const delta = list.takeDelta()
    if (deltaWatchers.size > 0) {
      delivery.write(
        [...deltaWatchers],
        encodePackets(() => [eventPacket(events.onlineUsersDelta, delta)]),
      )
    }
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
      writeLists([watcher], listPackets())
    },
    /** Only those who watch are told; a messaging connection that asks gets nothing. */
    resync(watcher: W): void {
      if (deltaWatchers.has(watcher) || wholeLists.watchers.has(watcher)) writeLists([watcher], listPackets())
    },
    unwatch(watcher: W): void {
      deltaWatchers.delete(watcher)
      wholeLists.watchers.delete(watcher)
      waiting.delete(watcher)
    },
    stop(): void {
      clearTimeout(gathering)
      clearTimeout(retrying)
      wholeLists.stop()
    },
  }
}

export type Presence<W extends PresenceWatcher> = ReturnType<typeof createPresence<W>>
