import type { Cursor } from '../../../contract/messages.ts'
import { overloaded } from '../../base/common-rejections.ts'
import { networksOf, widestNetwork } from '../../limits/addresses.ts'
import { createFairQueue } from '../../limits/fair-queue.ts'
import { encodePackets, type EncodedPackets } from './encoded-packets.ts'
import type { Lineage } from '../lineage.ts'
import type { MessageLog } from '../message-log.ts'
import {
  type EncodedMessage,
  encodePayload,
  encodeRemoved,
  frameBytes,
  positionedPackets,
  specifiedPackets,
} from './message-packets.ts'

/** Maximum number of bytes of one page. A connection has at most one page in flight. */
export const maxPageBytes = 128 * 1_024
export const maxPageMessages = 200
/** Limits of one read of the log. All pages of one read are built together. */
export const readLimits = { maxMessages: maxPageMessages, maxCharacters: 96 * 1_024 }
/** Maximum number of concurrent reads. In the thread of the log, an append waits for at most this many reads. */
export const maxConcurrentReads = 2
/** Limits of the page cache. Clients that reconnect at the same time often need the same page. */
export const maxCachedBytes = 4 * 1_024 * 1_024
export const maxCachedMs = 2_000

/** Consecutive messages in both packet formats. Each format is encoded once, when it is first needed. */
export interface MessagePage {
  readonly first: number
  readonly count: number
  /** Approximate size for one subscriber; 0 in a page of live messages. */
  readonly bytes: number
  readonly positioned: EncodedPackets
  readonly specified: EncodedPackets
}

export function createPage(messages: readonly EncodedMessage[], lineage: Lineage, bytes = 0): MessagePage {
  return {
    first: messages[0]?.seq ?? 0,
    count: messages.length,
    bytes,
    positioned: encodePackets(() => positionedPackets(messages, lineage)),
    specified: encodePackets(() => specifiedPackets(messages)),
  }
}

interface Recent {
  from(seq: number, maxMessages: number, maxBytes: number): EncodedMessage[] | null
}

interface CachedPage {
  page: MessagePage
  builtAtMs: number
  /** Newest message when the page was built. */
  upTo: number
}

/** Builds replay pages from memory or from the log. Concurrent requests for the same page share one read. */
export function createReplayPages(log: MessageLog, recent: Recent) {
  // Each subscriber waits for at most one read, so the number of queued reads needs no limit.
  const readQueue = createFairQueue({ concurrency: maxConcurrentReads, maxQueued: Infinity }, overloaded)
  let reading = new Map<number, Promise<MessagePage | null>>()
  const cached = new Map<number, CachedPage>()
  let cachedBytes = 0

  function build(messages: readonly EncodedMessage[], upTo: number): MessagePage {
    const { count, bytes } = measurePage(messages)
    const page = createPage(messages.slice(0, count), log.lineage(), bytes)
    const known = cached.get(page.first)
    if (known !== undefined) evict(known.page)
    cached.set(page.first, { page, builtAtMs: performance.now(), upTo })
    cachedBytes += bytes
    for (const oldest of cached.values()) {
      if (cachedBytes <= maxCachedBytes) break
      evict(oldest.page)
    }
    return page
  }

  function evict({ first, bytes }: MessagePage): void {
    cached.delete(first)
    cachedBytes -= bytes
  }

  function dropCached(): void {
    cached.clear()
    cachedBytes = 0
  }

  /** Returns the cached page, unless it is old, or ended at the head and messages were published since. */
  function fromCache(seq: number, upTo: number): MessagePage | null {
    const known = cached.get(seq)
    if (known === undefined) return null
    const isLast = seq + known.page.count > known.upTo
    const isComplete = !isLast || known.upTo === upTo
    if (isComplete && performance.now() - known.builtAtMs <= maxCachedMs) return known.page
    evict(known.page)
    return null
  }

  async function read(cursor: Cursor, upTo: number, address: string): Promise<MessagePage | null> {
    const readsAtStart = reading
    const stored = await readQueue.run([widestNetwork(networksOf(address))], () => log.readAfter(cursor, readLimits))
    // The log has no next message, or broke during the read. Messages from before the break must not get into the cache.
    if (stored === null || reading !== readsAtStart) return null
    // Stop at a gap in the log and before unpublished messages, which the live fan-out delivers.
    const dense = stored.filter(({ seq }, index) => seq === cursor.seq + 1 + index && seq <= upTo)
    // A message may have been removed after it was read.
    const { isRemoved } = log.removals()
    let rest = dense.map(({ seq, message }) => ({
      seq,
      payload: isRemoved(seq) ? encodeRemoved(message) : encodePayload(message),
    }))
    if (rest.length === 0) return null
    const first = build(rest, upTo)
    for (let page = first; page.count < rest.length; page = build(rest, upTo)) rest = rest.slice(page.count)
    return first
  }

  return {
    /**
     * Returns the page after the cursor, up to `upTo`; `null` when the log does not hold the next message, or broke during
     * the read. Calls `onRead` if it starts a read of the log.
     */
    pageAt(
      cursor: Cursor,
      upTo: number,
      address: string,
      onRead: () => void,
    ): MessagePage | null | Promise<MessagePage | null> {
      const seq = cursor.seq + 1
      if (seq < log.bounds().oldest) return null
      const known = fromCache(seq, upTo)
      if (known !== null) return known
      const inMemory = recent.from(seq, maxPageMessages, maxPageBytes)
      if (inMemory !== null) return build(inMemory, upTo)
      let page = reading.get(seq)
      if (page === undefined) {
        const readsAtStart = reading
        onRead()
        page = read(cursor, upTo, address).finally(() => readsAtStart.delete(seq))
        reading.set(seq, page)
      }
      return page
    },
    dropCached,
    /** Drops cached pages and the results of reads in progress. Call it after a break of the log. */
    clear(): void {
      dropCached()
      reading = new Map()
    },
  }
}

/** Returns the count and size of the messages that fit into one page. The first message always fits. */
function measurePage(messages: readonly EncodedMessage[]): { count: number; bytes: number } {
  let [count, bytes] = [0, 0]
  for (const { payload } of messages) {
    const more = frameBytes(payload)
    if (count > 0 && bytes + more > maxPageBytes) break
    bytes += more
    count++
  }
  return { count, bytes }
}
