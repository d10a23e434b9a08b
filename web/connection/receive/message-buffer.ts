import type { ChatMessage } from '../../../contract/messages.ts'

/** Shown in the list where the log could not bridge what was missed. */
export const missedMessagesText = 'Some messages were missed while you were offline'
/** Shown at the head of the list once the oldest messages had to make room. */
export const trimmedMessagesText = 'Older messages are no longer kept on this page'

/** A page may stay open for days: it keeps so many of the newest messages, as far as they fit into the budget. */
export const maxKeptMessages = 100_000
export const keptBytesBudget = 64 * 1024 * 1024

/** Making room copies the list, so room is made for many messages at once. */
export const trimmedMessagesAtOnce = 1_000
const bytesAfterTrimming = keptBytesBudget - keptBytesBudget / 32

interface MessageEntry {
  readonly kind: 'message'
  /** Counts everything that ever stood in the list; never given twice. */
  readonly key: number
  readonly number: number
  readonly message: ChatMessage
  readonly live: boolean
  readonly seq: number | undefined
  /** Sent from this page. Only the server's acknowledgement says so: a name and a text can be imitated. */
  readonly own: boolean
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
  readonly first: number
  /** How many messages have come since the page was opened. */
  readonly received: number
  /** The key of the newest entry that was sent from this page. */
  readonly newestOwn: number | null
  /** When this view was taken, by `performance.now`. */
  readonly takenAtMs: number
}

export const emptyMessageList: MessageList = {
  entries: [],
  length: 0,
  first: 0,
  received: 0,
  newestOwn: null,
  takenAtMs: 0,
}

/** The key after the last entry's. */
export const endOf = ({ first, length }: MessageList) => first + length

/** Returns the entry with this key; `undefined` when the view does not contain it. */
export const entryAt = ({ entries, first, length }: MessageList, key: number): Entry | undefined =>
  key < first + length ? entries[key - first] : undefined

/** Returns the entries of the view from key `from` on, up to key `to`. */
export const entriesBetween = (list: MessageList, from: number, to = endOf(list)): readonly Entry[] =>
  list.entries.slice(Math.max(0, from - list.first), Math.max(0, Math.min(to - list.first, list.length)))

export type MessageBuffer = ReturnType<typeof createMessageBuffer>

/** What an entry holds in memory: its two objects, and its texts at two bytes a unit, as anything beyond Latin is kept. */
export function entryBytes(entry: Entry): number {
  return entry.kind === 'message' ? 160 + 2 * (entry.message.username.length + entry.message.message.length) : 160
}

export function createMessageBuffer() {
  let entries: Entry[] = []
  let received = 0
  let kept = 0
  let keptBytes = 0
  let nextKey = 0
  let newestOwn: number | null = null
  let view = emptyMessageList
  let changed = false
  /** Acknowledged, but not in the list yet. */
  const expectedOwn = new Set<number>()

  function append(entry: Entry) {
    entries.push(entry)
    keptBytes += entryBytes(entry)
    nextKey++
    changed = true
    if (kept >= maxKeptMessages + trimmedMessagesAtOnce || keptBytes > keptBytesBudget) trim()
  }

  function trim() {
    let trimmed = 0
    for (; kept > maxKeptMessages || keptBytes > bytesAfterTrimming; trimmed++) {
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
    appendMessage(message: ChatMessage, live: boolean, seq?: number) {
      const own = seq !== undefined && expectedOwn.delete(seq)
      if (own) newestOwn = nextKey
      received++
      kept++
      append({ kind: 'message', key: nextKey, number: received, message, live, seq, own })
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
        entries[index] = { ...entry, own: true }
        newestOwn = Math.max(newestOwn ?? 0, entry.key)
        changed = true
        return
      }
      expectedOwn.add(seq)
    },
    view(): MessageList {
      if (!changed) return view
      const { length } = entries
      view = { entries, length, first: nextKey - length, received, newestOwn, takenAtMs: performance.now() }
      changed = false
      return view
    },
  }
}
