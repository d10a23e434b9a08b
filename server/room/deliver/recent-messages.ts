import type { ChatMessage } from '../../../contract/messages.ts'
import type { Encoded } from './encoded-packets.ts'
import { type EncodedMessage, frameBytes, maskRemoved } from './message-packets.ts'

export const maxRecentBytes = 8 * 1_024 * 1_024
export const maxRecentMessages = 4_000
/** Time after which decoded messages are dropped. Replays at different positions need the same messages. */
const decodedForMs = 2_000

/** Messages of one batch in one buffer, which is cheaper for the garbage collector than one string per message. */
interface Batch {
  first: number
  payloads: Buffer
  /** End offset of each payload. */
  ends: number[]
  bytes: number
  publishedAtMs: number
}

/**
 * Holds the newest messages in memory, so that clients that reconnect together do not read the disk. It returns no message
 * that was published more than `maxAgeMs` ago. The held seqs are consecutive: a batch that does not continue them replaces
 * the held messages.
 */
export function createRecentMessages(maxAgeMs: number, nowMs: () => number = () => performance.now()) {
  let batches: Batch[] = []
  let start = 0
  let [heldBytes, heldMessages] = [0, 0]
  /**
   * Decoded messages of each batch, kept for at most `decodedForMs`. All replay pages share them, so that the memory of replays
   * does not depend on the number of subscribers.
   */
  const decoded = new Map<Batch, EncodedMessage[]>()
  let dropDecoded: NodeJS.Timeout | null = null

  function decodedOf(batch: Batch): EncodedMessage[] {
    dropDecoded ??= setTimeout(() => {
      dropDecoded = null
      decoded.clear()
    }, decodedForMs).unref()
    const known = decoded.get(batch) ?? []
    decoded.set(batch, known)
    return known
  }

  function clear(): void {
    batches = []
    decoded.clear()
    start = 0
    heldBytes = 0
    heldMessages = 0
  }

  function trim(): void {
    const oldestMs = nowMs() - maxAgeMs
    for (let oldest = batches[start]; oldest !== undefined; oldest = batches[start]) {
      const fits = heldBytes <= maxRecentBytes && heldMessages <= maxRecentMessages
      if (fits && oldest.publishedAtMs >= oldestMs) break
      heldBytes -= oldest.bytes
      heldMessages -= oldest.ends.length
      start++
    }
    // Compact rarely: moving the array on every batch costs more than the memory it frees.
    if (start > batches.length / 2) {
      batches = batches.slice(start)
      start = 0
    }
  }

  return {
    add(messages: readonly EncodedMessage[]): void {
      const [first, newest] = [messages[0]?.seq ?? 0, batches.at(-1)]
      const isContinuation = newest === undefined || first === newest.first + newest.ends.length
      const isDense = messages.every(({ seq }, index) => seq === first + index)
      if (!isContinuation || !isDense) clear()
      if (!isDense) return
      const batch = { first, ...join(messages), publishedAtMs: nowMs() }
      batches.push(batch)
      heldBytes += batch.bytes
      heldMessages += messages.length
      trim()
    },
    /** Returns the messages from `seq` on, within the limits but at least one; `null` when `seq` is not held. */
    from(seq: number, maxMessages: number, maxBytes: number): EncodedMessage[] | null {
      trim()
      const found: EncodedMessage[] = []
      let bytes = 0
      for (let index = batchOf(seq); index < batches.length; index++) {
        const batch = batches[index] as Batch
        const messages = decodedOf(batch)
        for (let offset = Math.max(0, seq - batch.first); offset < batch.ends.length; offset++) {
          const message = (messages[offset] ??= messageAt(batch, offset))
          bytes += frameBytes(message.payload)
          if (found.length > 0 && (bytes > maxBytes || found.length === maxMessages)) return found
          found.push(message)
        }
      }
      return found.length === 0 ? null : found
    },
    /** Replaces the texts of removed messages, also in batches that are trimmed but still in memory. */
    mask(removed: ReadonlySet<number>): void {
      decoded.clear()
      for (const [index, batch] of batches.entries()) {
        if (!batch.ends.some((_, offset) => removed.has(batch.first + offset))) continue
        const replacement = { ...batch, ...join(maskRemoved(messagesOf(batch), removed)) }
        batch.payloads.fill(0)
        if (index >= start) heldBytes += replacement.bytes - batch.bytes
        batches[index] = replacement
      }
    },
    /** Drops all held messages. Call it after a break of the log. */
    clear,
    heldBytes: () => heldBytes,
  }

  function batchOf(seq: number): number {
    const index = batches.findLastIndex(({ first }) => first <= seq)
    return index < start ? Number.POSITIVE_INFINITY : index
  }
}

function messageAt({ first, payloads, ends }: Batch, offset: number): EncodedMessage {
  const payload = payloads.toString('utf8', ends[offset - 1] ?? 0, ends[offset]) as Encoded<ChatMessage>
  return { seq: first + offset, payload }
}

function messagesOf(batch: Batch): readonly EncodedMessage[] {
  return batch.ends.map((_, offset) => messageAt(batch, offset))
}

function join(messages: readonly EncodedMessage[]): Pick<Batch, 'payloads' | 'ends' | 'bytes'> {
  const ends: number[] = []
  let [end, bytes] = [0, 0]
  for (const { payload } of messages) {
    const size = frameBytes(payload)
    bytes += size
    end += size - frameBytes('')
    ends.push(end)
  }
  return { payloads: Buffer.from(messages.map(({ payload }) => payload).join('')), ends, bytes }
}
