import { endKey, entryAt, type MessageList } from '../../connection/receive/message-buffer.ts'
import type { Interval } from '../reading/intervals.ts'

/** Up to here the list stands in the document whole; beyond, it is virtualised. */
export const maxPlainEntries = 2_000
/** Should the virtualised list be late to arrive, the oldest entries wait: a document with too many is slow. */
const maxRenderedEntries = maxPlainEntries + 200
/** Nobody prints more, and a browser that lays it out stands still for seconds. */
const maxPrintedEntries = 10_000

export const rowsPerChunk = 50

/** So many entries are drawn at once without anybody noticing; a long list that is opened anew fills up frame by frame. */
export const entriesPerFrame = 16
/** However few the entries: to lay out two of the longest, of rare scripts or changing direction, takes a tenth of a second. */
const charactersPerFrame = 8_000

const frameBudget = () => ({ entries: entriesPerFrame, characters: charactersPerFrame })

/** Goes from one key towards another as far as the budget allows, and takes from it what it passes. */
function advance(list: MessageList, from: number, towards: number, budget: ReturnType<typeof frameBudget>): number {
  const step = Math.sign(towards - from)
  let key = from
  while (key !== towards && budget.entries > 0 && budget.characters > 0) {
    const entry = entryAt(list, step > 0 ? key : key - 1)
    budget.entries--
    if (entry?.kind === 'message') budget.characters -= entry.message.message.length
    key += step
  }
  return key
}

/** Where drawing begins: a window full of entries below where the reader is, or above the end of the list. */
export function initialRange(list: MessageList, around: number, inWindow: number): Interval {
  const budget = { entries: inWindow, characters: charactersPerFrame }
  const start = Math.min(Math.max(around, list.firstKey), endKey(list))
  const to = advance(list, start, endKey(list), budget)
  return { from: advance(list, start, list.firstKey, budget), to }
}

const firstRenderableKey = (list: MessageList) => Math.max(list.firstKey, endKey(list) - maxRenderedEntries)

export interface RenderedRange extends Interval {
  readonly isComplete: boolean
}

/**
 * What is drawn of a list that has grown: more at its end, and at its head nothing but what must go. Entries that are
 * taken away above a reader who is at the end make them seem to have moved up.
 */
export function extendToNewest(list: MessageList, drawn: Interval, budget = frameBudget()): RenderedRange {
  const end = endKey(list)
  const least = firstRenderableKey(list)
  const to = advance(list, Math.min(end, Math.max(drawn.to, least)), end, budget)
  const from = Math.min(Math.max(drawn.from, least), to)
  return { from, to, isComplete: from === least && to === end }
}

/** A step further towards the whole list: the newest first, then what is older. */
export function extendByFrame(list: MessageList, drawn: Interval, printing: boolean): RenderedRange {
  const end = endKey(list)
  if (printing) return { from: Math.max(list.firstKey, end - maxPrintedEntries), to: end, isComplete: true }
  const budget = frameBudget()
  const { from: head, to } = extendToNewest(list, drawn, budget)
  const from = advance(list, head, firstRenderableKey(list), budget)
  return { from, to, isComplete: from === firstRenderableKey(list) && to === end }
}
