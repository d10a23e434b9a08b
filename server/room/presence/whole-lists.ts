import type { ListPackets } from './watcher.ts'

/**
 * Bandwidth budget of complete lists while users join and leave. Lists that are sent after a quiet period have a second
 * budget of the same size.
 */
export const bytesPerSecond = 8 * 1_024 * 1_024
const quietAfterMs = 1_000
/** Maximum number of bytes written in one turn of the event loop, so that messages are not delayed. */
const maxChunkBytes = 4 * 1_024 * 1_024

/** Sends the complete list after changes to watchers that do not request deltas, as often as the budget allows. */
export function createWholeLists<W>(
  listPackets: () => ListPackets,
  write: (watchers: readonly W[], packets: ListPackets) => void,
) {
  const watchers = new Set<W>()
  let changedAtMs = 0
  let dueAtMs = 0
  let quietDueAtMs = 0
  let timer: NodeJS.Timeout | undefined
  let nextChunk: NodeJS.Immediate | undefined

  function send(): void {
    clearTimeout(timer)
    if (watchers.size === 0) return
    const now = performance.now()
    const waitMs = Math.min(dueAtMs, Math.max(changedAtMs + quietAfterMs, quietDueAtMs)) - now
    if (waitMs > 0) {
      timer = setTimeout(send, waitMs)
      return
    }
    const packets = listPackets()
    const costMs = (packets.bytes * watchers.size * 1_000) / bytesPerSecond
    if (now >= dueAtMs) dueAtMs = now + costMs
    else quietDueAtMs = now + costMs
    clearImmediate(nextChunk)
    sendChunk([...watchers], packets)
  }

  function sendChunk(remaining: readonly W[], packets: ListPackets): void {
    const count = Math.max(1, Math.floor(maxChunkBytes / packets.bytes))
    const chunk = remaining.slice(0, count).filter((watcher) => watchers.has(watcher))
    write(chunk, packets)
    const rest = remaining.slice(count)
    if (rest.length > 0) nextChunk = setImmediate(() => sendChunk(rest, listPackets()))
  }

  return {
    watchers,
    noteChange(): void {
      changedAtMs = performance.now()
    },
    send,
    stop(): void {
      clearTimeout(timer)
      clearImmediate(nextChunk)
    },
  }
}
