import { events } from '../../../contract/events.ts'
import {
  encode,
  encodePackets,
  eventPacket,
  packetOfEncoded,
  specifiedPacketOfEncoded,
} from '../deliver/encoded-packets.ts'
import { chunksOf, createSlicedTask, type Slicing } from '../deliver/slicing.ts'
import { createPresenceList } from './presence-list.ts'
import type { ListPackets, PresenceDelivery, PresenceWatcher } from './watcher.ts'
import { createWholeLists } from './whole-lists.ts'

/** Time for which changes are collected into one delta. */
const publishDelayMs = 200
/** Delay before a list is sent to watchers that had to wait for it. */
const listRetryMs = 1_000

/**
 * Publishes the list of online users. A new watcher gets it at once if its budget allows. Later changes are batched, and
 * sent as deltas or as whole lists of bounded cost.
 */
export function createPresence<W extends PresenceWatcher>(delivery: PresenceDelivery<W>, slicing: Slicing) {
  const list = createPresenceList()
  const wholeLists = createWholeLists<W>(listPackets, writeLists)
  const deltaWatchers = new Set<W>()
  /** Watchers that have received neither the current delta nor a list that contains it. */
  const awaitingDelta = new Set<W>()
  let isDeltaDue = false
  const deltas = createSlicedTask(writeDeltas, slicing)
  const waitingForList = new Set<W>()
  let publishTimer: NodeJS.Timeout | undefined
  let retryTimer: NodeJS.Timeout | undefined

  /** Returns the current list. It can include changes that are not published yet; the next delta repeats them. */
  function listPackets(): ListPackets {
    const ids = encode(list.ids())
    const version = encode({ version: list.version() })
    return {
      positioned: encodePackets(() => [packetOfEncoded(events.onlineUsers, ids, version)]),
      specified: encodePackets(() => [specifiedPacketOfEncoded(events.onlineUsers, ids)]),
      bytes: ids.length,
    }
  }

  /**
   * Writes a list to watchers. Skips watchers that have not read their previous list or have no budget: they get the newest
   * list later.
   */
  function writeLists(watchers: readonly W[], packets: ListPackets): void {
    const [positioned, specified]: [W[], W[]] = [[], []]
    for (const watcher of watchers) {
      const mustWait = delivery.hasUnreadList(watcher) || !delivery.takeListBudget(watcher, packets.bytes)
      if (mustWait) {
        waitingForList.add(watcher)
        continue
      }
      // The version of the list is that of the current delta.
      awaitingDelta.delete(watcher)
      if (watcher.wantsPositions) positioned.push(watcher)
      else specified.push(watcher)
    }
    if (positioned.length > 0) delivery.writeList(positioned, packets.positioned)
    if (specified.length > 0) delivery.writeList(specified, packets.specified)
    if (waitingForList.size > 0) retryTimer ??= setTimeout(retryLists, listRetryMs)
  }

  function retryLists(): void {
    retryTimer = undefined
    const watchers = [...waitingForList]
    waitingForList.clear()
    writeLists(watchers, listPackets())
  }

  function changed(): void {
    wholeLists.noteChange()
    publishTimer ??= setTimeout(publish, publishDelayMs)
  }

  function publish(): void {
    publishTimer = undefined
    if (!list.hasChanges()) return
    isDeltaDue = true
    deltas.start()
  }

  /** Writes deltas one after another, so that each watcher gets them in order. */
  function* writeDeltas(): Generator<void, void> {
    while (isDeltaDue) {
      isDeltaDue = false
      const delta = list.takeDelta()
      wholeLists.send()
      if (deltaWatchers.size > 0) yield* writeDelta(eventPacket(events.onlineUsersDelta, delta))
    }
  }

  function* writeDelta(packet: string): Generator<void, void> {
    const packets = encodePackets(() => [packet])
    for (const watcher of deltaWatchers) awaitingDelta.add(watcher)
    for (const chunk of chunksOf([...deltaWatchers], slicing, packet.length)) {
      const watchers = chunk.filter((watcher) => awaitingDelta.delete(watcher))
      if (watchers.length > 0) delivery.write(watchers, packets)
      yield
    }
  }

  return {
    /** Adds any connected socket, including sockets that only receive messages. */
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
    /** Sends the list again. Ignores connections that do not watch presence. */
    resync(watcher: W): void {
      if (deltaWatchers.has(watcher) || wholeLists.watchers.has(watcher)) writeLists([watcher], listPackets())
    },
    unwatch(watcher: W): void {
      deltaWatchers.delete(watcher)
      awaitingDelta.delete(watcher)
      wholeLists.watchers.delete(watcher)
      waitingForList.delete(watcher)
    },
    stop(): void {
      clearTimeout(publishTimer)
      clearTimeout(retryTimer)
      deltas.stop()
      wholeLists.stop()
    },
  }
}

export type Presence<W extends PresenceWatcher> = ReturnType<typeof createPresence<W>>
