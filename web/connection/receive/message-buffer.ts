import { removedText } from '../../../contract/constants.ts'
import type { ChatMessage } from '../../../contract/messages.ts'

/** Text of the notice in the list at a gap: the server could not deliver all messages, or cannot tell whether it did. */
export const missedMessagesText = 'Some messages may be missing here'
/** Text of the notice at the start of the list after the oldest messages were evicted. */
export const trimmedMessagesText = 'Older messages are no longer kept on this page'

/** Limits of the messages in memory: a page may stay open for days. The buffer evicts the oldest messages. */
export const maxBufferedMessages = 100_000
export const maxBufferedBytes = 64 * 1024 * 1024

/** Number of messages above `maxBufferedMessages` to evict at once, because each eviction copies the list. */
export const trimBatchSize = 1_000
const bytesAfterTrim = maxBufferedBytes - maxBufferedBytes / 32

interface BaseEntry {
  /** Unique key, one higher than the key of the entry before. */
  readonly key: number
  /** Local date of the arrival as a number, such as 20261118. */
  readonly day: number
}

export interface MessageEntry extends BaseEntry {
  readonly kind: 'message'
  readonly number: number
  readonly message: ChatMessage
  readonly isLive: boolean
  /** Sequence number in the log; `undefined` if the log may have lost the message, or if the server sent no number. */
  readonly seq: number | undefined
  /** Whether this page sent the message, according to the server's acknowledgement; names can be forged. */
  readonly isOwn: boolean
  /** Whether a moderator or the operator removed the message. `message` then has another text. */
  readonly isRemoved: boolean
}

interface NoticeEntry extends BaseEntry {
  readonly kind: 'gap' | 'trimmed'
}

export type Entry = MessageEntry | NoticeEntry

function today(): number {
  const now = new Date()
  return (now.getFullYear() * 100 + now.getMonth() + 1) * 100 + now.getDate()
}

/**
 * View of the buffer. Its fields never change, but `entries` itself grows and changes in place, to avoid copies at high
 * message rates: read `entries` only up to `length`, with `entryAt` and `entriesBetween`. Compare views by the identity
 * of the view, not of `entries`.
 */
export interface MessageList {
  readonly entries: readonly Entry[]
  readonly length: number
  /** Key of `entries[0]`. Keys are consecutive, so the entry with key k is `entries[k - firstKey]`. */
  readonly firstKey: number
  /** Number of messages received since the page was opened. */
  readonly receivedCount: number
  /** Key of the newest message that this page sent. */
  readonly newestOwnKey: number | null
  /** Whether messages that the page missed are still arriving. */
  readonly isReplaying: boolean
  /** Creation time of the view (`performance.now`). */
  readonly createdAtMs: number
}

export const emptyMessageList: MessageList = {
  entries: [],
  length: 0,
  firstKey: 0,
  receivedCount: 0,
  newestOwnKey: null,
  isReplaying: false,
  createdAtMs: 0,
}

/** Returns the key after the last entry. */
export const endKey = ({ firstKey, length }: MessageList) => firstKey + length

/** Returns the entry with this key; `undefined` when the view does not contain it. */
export const entryAt = ({ entries, firstKey, length }: MessageList, key: number): Entry | undefined =>
  key < firstKey + length ? entries[key - firstKey] : undefined

/** Returns the entries from key `from` up to, but not including, key `to`. */
export const entriesBetween = (list: MessageList, from: number, to = endKey(list)): readonly Entry[] =>
  list.entries.slice(Math.max(0, from - list.firstKey), Math.max(0, Math.min(to - list.firstKey, list.length)))

export type MessageBuffer = ReturnType<typeof createMessageBuffer>

/** Returns the lengths of the texts in a message, in UTF-16 code units. A field without text has the length 0. */
const textLengths = ({ username, message }: ChatMessage): Readonly<Record<keyof ChatMessage, number>> => ({
  username: username.length,
  message: message.length,
  createdTime: 0,
})

/** Estimates the memory of an entry: two objects, and two bytes per UTF-16 code unit (the size of non-Latin-1 text). */
export function entryBytes(entry: Entry): number {
  const lengths = entry.kind === 'message' ? Object.values(textLengths(entry.message)) : []
  return lengths.reduce((bytes, length) => bytes + 2 * length, 160)
}

/**
 * Replaces the text of a removed message. The function lists the fields that stay, so that a field added later is
 * dropped.
 */
const withoutText = ({ username, createdTime }: ChatMessage): ChatMessage => ({
  username,
  message: removedText,
  createdTime,
})

export function createMessageBuffer() {
  let entries: Entry[] = []
  let receivedCount = 0
  let messageCount = 0
  let totalBytes = 0
  let nextKey = 0
  let newestOwnKey: number | null = null
  let isReplaying = false
  let view = emptyMessageList
  let hasChanged = false
  /** Sequence numbers of messages of this page that the server acknowledged before they arrived. */
  const expectedOwn = new Set<number>()
  /** Sequence numbers of messages that were removed before they arrived. */
  const expectedRemoved = new Set<number>()

  function append(entry: Entry) {
    entries.push(entry)
    totalBytes += entryBytes(entry)
    nextKey++
    hasChanged = true
    if (messageCount >= maxBufferedMessages + trimBatchSize || totalBytes > maxBufferedBytes) trim()
  }

  function trim() {
    let trimmed = 0
    for (; messageCount > maxBufferedMessages || totalBytes > bytesAfterTrim; trimmed++) {
      const entry = entries[trimmed]
      if (entry === undefined) break
      totalBytes -= entryBytes(entry)
      if (entry.kind === 'message') messageCount--
    }
    // Create a new array, because existing views still read the old one.
    entries = entries.slice(trimmed - 1)
    const notice: Entry = { kind: 'trimmed', key: nextKey - entries.length, day: entries[0]?.day ?? today() }
    entries[0] = notice
    totalBytes += entryBytes(notice)
  }

  return {
    appendMessage(message: ChatMessage, isLive: boolean, seq?: number) {
      const isOwn = seq !== undefined && expectedOwn.delete(seq)
      if (isOwn) newestOwnKey = nextKey
      const isRemoved = seq !== undefined && expectedRemoved.delete(seq)
      receivedCount++
      messageCount++
      append({
        kind: 'message',
        key: nextKey,
        day: today(),
        number: receivedCount,
        message: isRemoved ? withoutText(message) : message,
        isLive,
        seq,
        isOwn,
        isRemoved,
      })
    },
    /**
     * Appends a notice of a gap, and drops the sequence numbers above `keptSeq` from the entries. The log can assign these
     * numbers to other messages, so a removal or a moderator's action could affect the wrong message.
     */
    appendGap(keptSeq: number) {
      expectedOwn.clear()
      expectedRemoved.clear()
      entries = entries.map((entry) =>
        entry.kind === 'message' && entry.seq !== undefined && entry.seq > keptSeq
          ? { ...entry, seq: undefined }
          : entry,
      )
      append({ kind: 'gap', key: nextKey, day: today() })
    },
    startReplay() {
      isReplaying = true
      hasChanged = true
    },
    endReplay() {
      hasChanged ||= isReplaying
      isReplaying = false
    },
    /** Marks the message with this sequence number as sent by this page, now or when it arrives. */
    markOwn(seq: number) {
      for (let index = entries.length - 1; index >= 0; index--) {
        const entry = entries[index]
        if (entry?.kind !== 'message' || entry.seq === undefined || entry.seq < seq) break
        if (entry.seq > seq) continue
        entries[index] = { ...entry, isOwn: true }
        newestOwnKey = Math.max(newestOwnKey ?? 0, entry.key)
        hasChanged = true
        return
      }
      expectedOwn.add(seq)
    },
    /**
     * Replaces the texts of removed messages. The text of a message after `lastSeq` is replaced when the message
     * arrives. `lastSeq` is the sequence number of the last message that the page has received.
     */
    removeMessages(seqs: readonly number[], lastSeq: number) {
      const missing = new Set(seqs)
      for (let index = entries.length - 1; index >= 0 && missing.size > 0; index--) {
        const entry = entries[index]
        if (entry?.kind !== 'message' || entry.seq === undefined || !missing.delete(entry.seq)) continue
        const removed = { ...entry, message: withoutText(entry.message), isRemoved: true }
        totalBytes += entryBytes(removed) - entryBytes(entry)
        entries[index] = removed
        hasChanged = true
      }
      for (const seq of missing) if (seq > lastSeq) expectedRemoved.add(seq)
    },
    view(): MessageList {
      if (!hasChanged) return view
      const { length } = entries
      view = {
        entries,
        length,
        firstKey: nextKey - length,
        receivedCount,
        newestOwnKey,
        isReplaying,
        createdAtMs: performance.now(),
      }
      hasChanged = false
      return view
    },
  }
}
