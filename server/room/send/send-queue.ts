import type { SendRejectionCode } from '../../../contract/rejections.ts'
import type { RejectionError } from '../../base/rejection-error.ts'
import type { LogEntry } from '../message-log.ts'
import { encodePayload, frameBytes } from '../deliver/message-packets.ts'

/** Limits of the messages that wait to be stored: of all networks, and of one. */
export const maxQueued = 10_000
export const maxQueuedBytes = 16 * 1_024 * 1_024
export const maxQueuedBytesOfNetwork = 2 * 1_024 * 1_024
/**
 * Maximum number of bytes that one batch writes to each socket. The rest of a burst goes into the next windows, so that
 * slow networks transmit each write soon.
 */
export const maxFlushBytes = 256 * 1_024
/**
 * Maximum number of bytes that one batch writes to all sockets for the senders of one network. Messages of other networks
 * wait for these writes.
 */
export const maxFanOutBytesOfNetwork = 32 * 1_024 * 1_024
/** Part of a batch that one network can always fill. With fewer bytes, the writes themselves would cost more. */
export const minFlushBytesOfNetwork = 32 * 1_024

export interface QueuedMessage {
  entry: LogEntry
  /** Widest network of the sender; `null` for loopback, which has no limits. */
  network: string | null
  acknowledge: (result: number | RejectionError<SendRejectionCode>) => void
  /** Called before `acknowledge` when the message was stored: it was neither rejected nor a repeat. */
  onStored: () => void
  /** Returns `false` if the session of the sender was revoked. An anonymous sender is always allowed. */
  isAllowed: () => boolean
}

type Waiting = QueuedMessage & { bytes: number }

/** Queues accepted messages until the next flush, in order of arrival. */
export function createSendQueue() {
  let queue: Waiting[] = []
  let queuedBytes = 0
  const queuedBytesOf = new Map<string, number>()

  function count(network: string | null, bytes: number): void {
    queuedBytes += bytes
    if (network === null) return
    const sum = (queuedBytesOf.get(network) ?? 0) + bytes
    if (sum === 0) queuedBytesOf.delete(network)
    else queuedBytesOf.set(network, sum)
  }

  function take(isTaken: (message: Waiting) => boolean): QueuedMessage[] {
    const [taken, left]: [Waiting[], Waiting[]] = [[], []]
    for (const message of queue) (isTaken(message) ? taken : left).push(message)
    for (const { network, bytes } of taken) count(network, -bytes)
    queue = left
    return taken
  }

  return {
    /** Adds a message. Returns `false` when the queue, or the part of it that one network can fill, is full. */
    add(message: QueuedMessage): boolean {
      const { entry, network } = message
      const bytes = frameBytes(encodePayload(entry.message))
      if (queue.length >= maxQueued || queuedBytes + bytes > maxQueuedBytes) return false
      if (network !== null && (queuedBytesOf.get(network) ?? 0) + bytes > maxQueuedBytesOfNetwork) return false
      queue.push({ ...message, bytes })
      count(network, bytes)
      return true
    },
    /**
     * Takes the oldest messages, as many as fit into one batch: at least one, however large. A network with a burst fills
     * only a part of the batch, and messages of other networks follow. The messages of one network keep their order.
     */
    takeBatch(subscriberCount: number): QueuedMessage[] {
      const maxPartBytes = Math.max(minFlushBytesOfNetwork, maxFanOutBytesOfNetwork / Math.max(1, subscriberCount))
      const partBytesOf = new Map<string, number>()
      let batchBytes = 0
      return take(({ network, bytes }) => {
        if (network !== null) {
          const partBytes = (partBytesOf.get(network) ?? 0) + bytes
          partBytesOf.set(network, partBytes)
          if (partBytes > maxPartBytes && partBytes !== bytes) return false
        }
        batchBytes += bytes
        return batchBytes <= maxFlushBytes || batchBytes === bytes
      })
    },
    takeAll: () => take(() => true),
    isEmpty: () => queue.length === 0,
  }
}
