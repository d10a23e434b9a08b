import type { ListPackets } from './watcher.ts'

/**
 * Whole lists never take more than this of the network while people come and go, and no more than this again for the
 * lists that are sent once nobody has for a while.
 */
export const bytesPerSecond = 8 * 1_024 * 1_024
const settledAfterMs = 1_000
/** A crowd's lists leave in portions, so that talk gets in between. */
const portionBytes = 4 * 1_024 * 1_024

/** Keeps those who get the whole list at every change informed, as often as the network is to bear it. */
export function createWholeLists<W>(
  listPackets: () => ListPackets,
  write: (watchers: readonly W[], packets: ListPackets) => void,
) {
  const watchers = new Set<W>()
  let changedAt = 0
  let dueAt = 0
  let settledDueAt = 0
  let timer: NodeJS.Timeout | undefined
  let nextPortion: NodeJS.Immediate | undefined

  function send(): void {
    clearTimeout(timer)
    if (watchers.size === 0) return
    const now = performance.now()
    const waitMs = Math.min(dueAt, Math.max(changedAt + settledAfterMs, settledDueAt)) - now
    if (waitMs > 0) {
      timer = setTimeout(send, waitMs)
      return
    }
    const packets = listPackets()
    const costMs = (packets.bytes * watchers.size * 1_000) / bytesPerSecond
    if (now >= dueAt) dueAt = now + costMs
    else settledDueAt = now + costMs
    clearImmediate(nextPortion)
    sendPortion([...watchers], packets)
  }

  function sendPortion(waiting: readonly W[], packets: ListPackets): void {
    const count = Math.max(1, Math.floor(portionBytes / packets.bytes))
    const portion = waiting.slice(0, count).filter((watcher) => watchers.has(watcher))
    write(portion, packets)
    const rest = waiting.slice(count)
    if (rest.length > 0) nextPortion = setImmediate(() => sendPortion(rest, listPackets()))
  }

  return {
    watchers,
    noteChange(): void {
      changedAt = performance.now()
    },
    send,
    stop(): void {
      clearTimeout(timer)
      clearImmediate(nextPortion)
    },
  }
}
