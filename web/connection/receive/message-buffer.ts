import type { ChatMessage } from '../../../contract/messages.ts'

/** Shown in the list where the log could not bridge what was missed. */
export const missedMessagesText = 'Some messages were missed while you were offline'
/** Shown at the head of the list once the oldest messages had to make room. */
export const trimmedMessagesText = 'Older messages are no longer kept on this page'

/** A page may stay open for days: it keeps so many of the newest messages, as far as they fit into the budget. */
export const maxBufferedMessages = 100_000
export const maxBufferedBytes = 64 * 1024 * 1024

/** Making room copies the list, so room is made for many messages at once. */
export const trimBatchSize = 1_000
const bytesAfterTrim = maxBufferedBytes - maxBufferedBytes / 32

interface MessageEntry {
  readonly kind: 'message'
  /** Counts everything that ever stood in the list; never given twice. */
  readonly key: number
  readonly number: number
  readonly message: ChatMessage
  readonly isLive: boolean
  readonly seq: number | undefined
  /** Sent from this page. Only the server's acknowledgement says so: a name and a text can be imitated. */
  readonly isOwn: boolean
}

export type Entry = MessageEntry | { readonly kind: 'gap' | 'trimmed'; readonly key: number }

/**
 * A view on everything that is kept. `entries` grows in place, so that a thousand messages a second cost no copies:
 * read it only up to `length`, by `entryAt` and `entriesBetween`, and tell one view from the next by the wrapper.
 */
export interface MessageList {
  readonly entries: readonly Entry[]
  readonly length: number
  /** The key of `entries[0]`; keys are dense, so the entry with key k is `entries[k - first]`. */
  readonly firstKey: number
  /** How many messages have come since the page was opened. */
  readonly receivedCount: number
  /** The key of the newest entry that was sent from this page. */
  readonly newestOwnKey: number | null
  /** When this view was taken, by `performance.now`. */
  readonly createdAtMs: number
}

export const emptyMessageList: MessageList = {
  entries: [],
  length: 0,
  firstKey: 0,
  receivedCount: 0,
  newestOwnKey: null,
  createdAtMs: 0,
}

/** The key after the last entry's. */
export const endKey = ({ firstKey, length }: MessageList) => firstKey + length

/** Returns the entry with this key; `undefined` when the view does not contain it. */
export const entryAt = ({ entries, firstKey, length }: MessageList, key: number): Entry | undefined =>
  key < firstKey + length ? entries[key - firstKey] : undefined

/** Returns the entries of the view from key `from` on, up to key `to`. */
export const entriesBetween = (list: MessageList, from: number, to = endKey(list)): readonly Entry[] =>
  list.entries.slice(Math.max(0, from - list.firstKey), Math.max(0, Math.min(to - list.firstKey, list.length)))

export type MessageBuffer = ReturnType<typeof createMessageBuffer>

/** What an entry holds in memory: its two objects, and its texts at two bytes a unit, as anything beyond Latin is kept. */
export function entryBytes(entry: Entry): number {
  return entry.kind === 'message' ? 160 + 2 * (entry.message.username.length + entry.message.message.length) : 160
}

export function createMessageBuffer() {
  let entries: Entry[] = []
  let receivedCount = 0
  let kept = 0
  let keptBytes = 0
  let nextKey = 0
  let newestOwnKey: number | null = null
  let view = emptyMessageList
  let changed = false
  /** Acknowledged, but not in the list yet. */
  const expectedOwn = new Set<number>()

  function append(entry: Entry) {
    entries.push(entry)
    keptBytes += entryBytes(entry)
    nextKey++
    changed = true
    if (kept >= maxBufferedMessages + trimBatchSize || keptBytes > maxBufferedBytes) trim()
  }

  function trim() {
    let trimmed = 0
    for (; kept > maxBufferedMessages || keptBytes > bytesAfterTrim; trimmed++) {
      const entry = entries[trimmed]
      if (entry === undefined) break
      keptBytes -= entryBytes(entry)
      if (entry.kind === 'message') kept--
    }
    // A new array: views that were handed out still read the old one.
    entries = entries.slice(trimmed - 1)
    const notice: Entry = { kind: 'trimmed', key: nextKey - entries.length }
    entries[0] = notice
    keptBytes += entryBytes(notice)
  }

  return {
    appendMessage(message: ChatMessage, isLive: boolean, seq?: number) {
      const isOwn = seq !== undefined && expectedOwn.delete(seq)
      if (isOwn) newestOwnKey = nextKey
      receivedCount++
      kept++
      append({ kind: 'message', key: nextKey, number: receivedCount, message, isLive, seq, isOwn })
    },
    appendGap() {
      // Behind a gap the log may be another one, where the same numbers mean other messages.
      expectedOwn.clear()
      append({ kind: 'gap', key: nextKey })
    },
    /** The server has stored a message of this page under this number, whether or not it has come back yet. */
    markOwn(seq: number) {
      for (let index = entries.length - 1; index >= 0; index--) {
        const entry = entries[index]
        if (entry?.kind !== 'message' || entry.seq === undefined || entry.seq < seq) break
        if (entry.seq > seq) continue
        entries[index] = { ...entry, isOwn: true }
        newestOwnKey = Math.max(newestOwnKey ?? 0, entry.key)
        changed = true
        return
      }
      expectedOwn.add(seq)
    },
    view(): MessageList {
      if (!changed) return view
      const { length } = entries
      view = {
        entries,
        length,
        firstKey: nextKey - length,
        receivedCount,
        newestOwnKey,
        createdAtMs: performance.now(),
      }
      changed = false
      return view
    },
  }
}
