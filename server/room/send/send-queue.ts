import type { SendRejectionCode } from '../../../contract/rejections.ts'
import type { RejectionError } from '../../base/rejection-error.ts'
import type { LogEntry } from '../message-log.ts'
import { encodePayload, frameBytes } from '../deliver/message-packets.ts'

/** Limits of the messages that wait to be stored: for all networks together, and for one network. */
export const maxQueued = 10_000
export const maxQueuedBytes = 16 * 1_024 * 1_024
export const maxQueuedBytesOfNetwork = 2 * 1_024 * 1_024
/**
 * Maximum number of bytes that one batch writes to each socket. The rest of a burst goes into the next windows, so that
 * slow networks transmit each write soon.
 */
export const maxFlushBytes = 256 * 1_024
/**
 * Maximum number of bytes that one batch writes to all sockets. In a large room, `minFlushBytes` takes precedence. The
 * next batch, and so the acknowledgements of other senders, waits for these writes. Messages from loopback are not
 * counted.
 */
export const maxFanOutBytes = 12 * 1_024 * 1_024
/**
 * Minimum size of a full batch in a large room. In smaller batches, the fixed cost of a write would exceed the cost of its
 * bytes.
 */
export const minFlushBytes = 12 * 1_024

export interface QueuedMessage {
  entry: LogEntry
  /** Widest network of the sender; `null` for loopback, which has no limit per network. */
  network: string | null
  acknowledge: (result: number | RejectionError<SendRejectionCode>) => void
  /** Called before `acknowledge`, unless the message was rejected or is a repeat. */
  onStored: () => void
  /** Returns `false` if the session of the sender was revoked. An anonymous sender is always allowed. */
  isAllowed: () => boolean
}

interface Waiting {
  message: QueuedMessage
  bytes: number
  /** Sort key of the queue: messages with lower turns are stored first. */
  turn: number
}

interface NetworkState {
  queuedBytes: number
  /** Turn of its newest message. */
  turn: number
}

/**
 * Queues accepted messages until a flush takes them. The queue is fair by bytes: bursts of other networks do not delay a
 * network with few messages, however many networks send bursts. The messages of one network keep their order.
 */
export function createSendQueue() {
  let queue: Waiting[] = []
  let queuedBytes = 0
  /** Networks that have queued messages. */
  const networks = new Map<string | null, NetworkState>()
  /** Highest turn of a message that was taken. */
  let takenTurn = 0

  function remove({ message: { network }, bytes, turn }: Waiting): void {
    queuedBytes -= bytes
    takenTurn = Math.max(takenTurn, turn)
    const state = networks.get(network)
    if (state === undefined) return
    state.queuedBytes -= bytes
    if (state.queuedBytes === 0) networks.delete(network)
  }

  function take(isTaken: (waiting: Waiting) => boolean): QueuedMessage[] {
    const [taken, left]: [Waiting[], Waiting[]] = [[], []]
    for (const waiting of queue) (isTaken(waiting) ? taken : left).push(waiting)
    for (const waiting of taken) remove(waiting)
    queue = left
    return taken.map(({ message }) => message)
  }

  return {
    /** Adds a message. Returns `false` when the queue, or the part of it that one network can fill, is full. */
    add(message: QueuedMessage): boolean {
      const { entry, network } = message
      const bytes = frameBytes(encodePayload(entry.message))
      if (queue.length >= maxQueued || queuedBytes + bytes > maxQueuedBytes) return false
      const state = networks.get(network) ?? { queuedBytes: 0, turn: takenTurn }
      if (network !== null && state.queuedBytes + bytes > maxQueuedBytesOfNetwork) return false
      queuedBytes += bytes
      state.queuedBytes += bytes
      // The turn of a message follows the previous turn of its network by the size of the message. A network without queued
      // messages begins at the turn that the batches have reached.
      state.turn += bytes
      networks.set(network, state)
      queue.push({ message, bytes, turn: state.turn })
      return true
    },
    /** Takes the next messages, as many as fit into one batch: at least one, however large. */
    takeBatch(subscriberCount: number): QueuedMessage[] {
      const maxLimitedBytes = Math.max(minFlushBytes, maxFanOutBytes / Math.max(1, subscriberCount))
      let [batchBytes, limitedBytes] = [0, 0]
      queue.sort((a, b) => a.turn - b.turn)
      return take(({ message: { network }, bytes }) => {
        batchBytes += bytes
        if (network !== null) limitedBytes += bytes
        return batchBytes === bytes || (batchBytes <= maxFlushBytes && limitedBytes <= maxLimitedBytes)
      })
    },
    takeAll: () => take(() => true),
    isEmpty: () => queue.length === 0,
  }
}
