import { endKey, entryAt, type MessageList } from '../../connection/receive/message-buffer.ts'
import type { Interval } from '../reading/intervals.ts'

/** Up to here the list stands in the document whole; beyond, it is virtualised. */
export const plainUpTo = 2_000
/** Should the virtualised list be late to arrive, the oldest entries wait: a document with too many is slow. */
const mostEntries = plainUpTo + 200
/** Nobody prints more, and a browser that lays it out stands still for seconds. */
const mostPrinted = 10_000

export const rowsPerChunk = 50

/** So many entries are drawn at once without anybody noticing; a long list that is opened anew fills up frame by frame. */
export const entriesPerFrame = 16
/** However few the entries: to lay out two of the longest, of rare scripts or changing direction, takes a tenth of a second. */
const charactersPerFrame = 8_000

const wholeBudget = () => ({ entries: entriesPerFrame, characters: charactersPerFrame })

/** Goes from one key towards another as far as the budget allows, and takes from it what it passes. */
function spend(list: MessageList, from: number, towards: number, budget: ReturnType<typeof wholeBudget>): number {
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
export function drawnAtFirst(list: MessageList, around: number, inWindow: number): Interval {
  const budget = { entries: inWindow, characters: charactersPerFrame }
  const start = Math.min(Math.max(around, list.firstKey), endKey(list))
  const to = spend(list, start, endKey(list), budget)
  return { from: spend(list, start, list.firstKey, budget), to }
}

const leastOf = (list: MessageList) => Math.max(list.firstKey, endKey(list) - mostEntries)

export interface DrawnWindow extends Interval {
  readonly isWhole: boolean
}

/**
 * What is drawn of a list that has grown: more at its end, and at its head nothing but what must go. Entries that are
 * taken away above a reader who is at the end make them seem to have moved up.
 */
export function drawnOf(list: MessageList, drawn: Interval, budget = wholeBudget()): DrawnWindow {
  const end = endKey(list)
  const least = leastOf(list)
  const to = spend(list, Math.min(end, Math.max(drawn.to, least)), end, budget)
  const from = Math.min(Math.max(drawn.from, least), to)
  return { from, to, isWhole: from === least && to === end }
}

/** A step further towards the whole list: the newest first, then what is older. */
export function drawnNext(list: MessageList, drawn: Interval, printing: boolean): DrawnWindow {
  const end = endKey(list)
  if (printing) return { from: Math.max(list.firstKey, end - mostPrinted), to: end, isWhole: true }
  const budget = wholeBudget()
  const { from: head, to } = drawnOf(list, drawn, budget)
  const from = spend(list, head, leastOf(list), budget)
  return { from, to, isWhole: from === leastOf(list) && to === end }
}
