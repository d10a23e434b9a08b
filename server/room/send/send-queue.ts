import type { SendRejectionCode } from '../../../contract/rejections.ts'
import type { RejectionError } from '../../base/rejection-error.ts'
import type { LogEntry } from '../message-log.ts'
import { encodePayload, frameBytes } from '../deliver/message-packets.ts'

/** What waits to be stored, at most. */
export const maxQueued = 10_000
export const maxQueuedBytes = 16 * 1_024 * 1_024
/**
 * What one flush may write to every socket. Larger ones are cut: the rest of a burst leaves in the next windows, and
 * no reader gets more in one write than an ordinary network takes in a moment.
 */
export const maxFlushBytes = 256 * 1_024

export interface QueuedMessage {
  entry: LogEntry
  acknowledge: (result: number | RejectionError<SendRejectionCode>) => void
}

/** Accepted messages that wait for the next flush, in the order in which they came. */
export function createSendQueue() {
  let queue: (QueuedMessage & { bytes: number })[] = []
  let queuedBytes = 0

  function take(count: number): QueuedMessage[] {
    const taken = queue
    queue = taken.splice(count)
    for (const { bytes } of taken) queuedBytes -= bytes
    return taken
  }

  return {
    /** `false` when there is no room for it. */
    add(entry: LogEntry, acknowledge: QueuedMessage['acknowledge']): boolean {
      if (queue.length >= maxQueued) return false
      const bytes = frameBytes(encodePayload(entry.message))
      if (queuedBytes + bytes > maxQueuedBytes) return false
      queue.push({ entry, acknowledge, bytes })
      queuedBytes += bytes
      return true
    },
    /** The oldest, as many as one flush may hold: at least one, however large. */
    takeBatch(): QueuedMessage[] {
      let [count, bytes] = [0, 0]
      for (const one of queue) {
        bytes += one.bytes
        if (count > 0 && bytes > maxFlushBytes) break
        count++
      }
      return take(count)
    },
    takeAll: () => take(queue.length),
    isEmpty: () => queue.length === 0,
  }
}
