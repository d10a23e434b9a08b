import type { Cursor } from '../../../contract/messages.ts'
import { encodePackets, type EncodedPackets } from './encoded-packets.ts'
import type { MessageLog } from '../message-log.ts'
import {
  type EncodedMessage,
  encodePayload,
  frameBytes,
  positionedPackets,
  specifiedPackets,
} from './message-packets.ts'
import { createReadTurns } from './read-turns.ts'

/** The frames of one page, at most; a connection never has a second one in flight. */
export const maxPageBytes = 128 * 1_024
export const maxPageMessages = 200
/** One read of the log: the pages that it makes are built together. */
export const readLimits = { maxMessages: maxPageMessages, maxCharacters: 96 * 1_024 }
/** Pages that were built lately: who comes back at the same time stands at the same place. */
export const maxCachedBytes = 4 * 1_024 * 1_024
export const maxCachedMs = 2_000

/** Some messages in a row, in the two kinds; each is framed when somebody first needs it, and then for all. */
export interface MessagePage {
  readonly first: number
  readonly count: number
  readonly positioned: EncodedPackets
  readonly specified: EncodedPackets
}

export function createPage(messages: readonly EncodedMessage[], epoch: string): MessagePage {
  return {
    first: messages[0]?.seq ?? 0,
    count: messages.length,
    positioned: encodePackets(() => positionedPackets(messages, epoch)),
    specified: encodePackets(() => specifiedPackets(messages)),
  }
}

interface Recent {
  from(seq: number, maxMessages: number, maxBytes: number): EncodedMessage[] | null
}

/** Pages of replay, from memory or from the log; those who ask for the same get the same. */
export function createReplayPages(log: MessageLog, recent: Recent) {
  const turns = createReadTurns()
  let reading = new Map<number, Promise<MessagePage | null>>()
  const cached = new Map<number, { page: MessagePage; bytes: number; builtAtMs: number }>()
  let cachedBytes = 0

  function build(messages: readonly EncodedMessage[], epoch: string): MessagePage {
    const { count, bytes } = fill(messages)
    const page = createPage(messages.slice(0, count), epoch)
    const known = cached.get(page.first)
    if (known !== undefined) forget(page.first, known.bytes)
    cached.set(page.first, { page, bytes, builtAtMs: performance.now() })
    cachedBytes += bytes
    for (const [seq, oldest] of cached) {
      if (cachedBytes <= maxCachedBytes) break
      forget(seq, oldest.bytes)
    }
    return page
  }

  function forget(seq: number, bytes: number): void {
    cached.delete(seq)
    cachedBytes -= bytes
  }

  function fromCache(seq: number): MessagePage | null {
    const known = cached.get(seq)
    if (known === undefined) return null
    if (performance.now() - known.builtAtMs <= maxCachedMs) return known.page
    forget(seq, known.bytes)
    return null
  }

  async function read(cursor: Cursor, upTo: number, address: string): Promise<MessagePage | null> {
    const readsNow = reading
    const stored = await turns.take(address, () => log.readAfter(cursor, readLimits))
    // Forgotten meanwhile: nobody waits for it, and nobody else may find it.
    if (stored === null || reading !== readsNow) return null
    // Up to the first hole, should the log have one; what is not broadcast yet is still to come, for everybody.
    const dense = stored.filter(({ seq }, index) => seq === cursor.seq + 1 + index && seq <= upTo)
    let rest = dense.map(({ seq, message }) => ({ seq, payload: encodePayload(message) }))
    if (rest.length === 0) return null
    const first = build(rest, cursor.epoch)
    for (let page = first; page.count < rest.length; page = build(rest, cursor.epoch)) rest = rest.slice(page.count)
    return first
  }

  return {
    /** The page that follows the cursor and ends no later than `upTo`; `null` when the log cannot bridge. */
    pageAt(cursor: Cursor, upTo: number, address: string): MessagePage | null | Promise<MessagePage | null> {
      const seq = cursor.seq + 1
      if (seq < log.bounds().oldest) return null
      const known = fromCache(seq)
      if (known !== null) return known
      const inMemory = recent.from(seq, maxPageMessages, maxPageBytes)
      if (inMemory !== null) return build(inMemory, cursor.epoch)
      let answer = reading.get(seq)
      if (answer === undefined) {
        const readsNow = reading
        answer = read(cursor, upTo, address).finally(() => readsNow.delete(seq))
        reading.set(seq, answer)
      }
      return answer
    },
    /** The log has broken off: what was read or is being read belongs to another one. */
    forget(): void {
      cached.clear()
      cachedBytes = 0
      reading = new Map()
    },
  }
}

/** How many of these make one page: at least one, however large. */
function fill(messages: readonly EncodedMessage[]): { count: number; bytes: number } {
  let [count, bytes] = [0, 0]
  for (const { payload } of messages) {
    const more = frameBytes(payload)
    if (count > 0 && bytes + more > maxPageBytes) break
    bytes += more
    count++
  }
  return { count, bytes }
}
