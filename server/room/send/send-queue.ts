import type { SendRejectionCode } from '../../../contract/rejections.ts'
import type { RejectionError } from '../../base/rejection-error.ts'
import type { LogEntry } from '../message-log.ts'
import { encodePayload, frameBytes } from '../deliver/message-packets.ts'

/** Limits of the messages that wait to be stored. */
export const maxQueued = 10_000
export const maxQueuedBytes = 16 * 1_024 * 1_024
/**
 * Maximum number of bytes that one batch writes to each socket. The rest of a burst goes into the next windows, so that
 * slow networks transmit each write soon.
 */
export const maxFlushBytes = 256 * 1_024

export interface QueuedMessage {
  entry: LogEntry
  acknowledge: (result: number | RejectionError<SendRejectionCode>) => void
  /** Returns `false` if the session of the sender was revoked. An anonymous sender is always allowed. */
  isAllowed: () => boolean
}

/** Queues accepted messages until the next flush, in order of arrival. */
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
    /** Adds a message. Returns `false` when the queue is full. */
    add({ entry, acknowledge, isAllowed }: QueuedMessage): boolean {
      if (queue.length >= maxQueued) return false
      const bytes = frameBytes(encodePayload(entry.message))
      if (queuedBytes + bytes > maxQueuedBytes) return false
      queue.push({ entry, acknowledge, isAllowed, bytes })
      queuedBytes += bytes
      return true
    },
    /** Takes the oldest messages, as many as fit into one batch: at least one, however large. */
    takeBatch(): QueuedMessage[] {
      let [count, bytes] = [0, 0]
      for (const message of queue) {
        bytes += message.bytes
        if (count > 0 && bytes > maxFlushBytes) break
        count++
      }
      return take(count)
    },
    takeAll: () => take(queue.length),
    isEmpty: () => queue.length === 0,
  }
}
