import { endKey, entryAt, type MessageList } from '../../connection/receive/message-buffer.ts'
import { remPx } from '../../ui/rem-px.ts'
import type { Interval } from '../reading/intervals.ts'

/** Maximum length of a list that is rendered completely. Longer lists use the virtual list as soon as its code is loaded. */
export const maxPlainEntries = 2_000
/**
 * Maximum number of rendered entries while the code of the virtual list is still loading. More entries make the page slow.
 */
const maxRenderedEntries = maxPlainEntries + 200
/** Maximum number of printed entries. The layout of more entries blocks the browser for seconds. */
const maxPrintedEntries = 10_000

/** Number of entries that render within one frame. A long list fills up frame by frame after it is mounted. */
export const entriesPerFrame = 16
/**
 * Maximum number of characters per frame: the layout of two of the longest messages, in rare or mixed scripts, can take 100
 * ms.
 */
const charactersPerFrame = 8_000

const minEntryHeightRem = 2

/** Returns the number of one-line entries that fill the visible part of the list. With its margins, such a list scrolls. */
export function maxEntriesInView(): number {
  const heightPx = document.querySelector('.message-scroller')?.clientHeight ?? window.innerHeight
  return Math.ceil(heightPx / (minEntryHeightRem * remPx()))
}

const frameBudget = () => ({ entries: entriesPerFrame, characters: charactersPerFrame })

/** Returns the key that the budget reaches on the way from one key to another. Deducts the passed entries from the budget. */
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

/**
 * Returns the range to render first: up to `maxEntries` from the start key on. If the list has fewer entries there, the
 * range also includes entries above the start key. Long messages make the range shorter.
 */
export function initialRange(list: MessageList, startKey: number, maxEntries: number): Interval {
  const budget = { entries: maxEntries, characters: charactersPerFrame }
  const start = Math.min(Math.max(startKey, list.firstKey), endKey(list))
  const to = advance(list, start, endKey(list), budget)
  return { from: advance(list, start, list.firstKey, budget), to }
}

const firstRenderableKey = (list: MessageList) => Math.max(list.firstKey, endKey(list) - maxRenderedEntries)

export interface RenderedRange extends Interval {
  readonly isComplete: boolean
}

/**
 * Extends the range towards the end of the list by the budget. Drops entries at the start only if the range exceeds the maximum:
 * removing entries above the viewport changes the scroll position, which looks as if the user had scrolled up.
 */
export function extendToNewest(list: MessageList, rendered: Interval, budget = frameBudget()): RenderedRange {
  const end = endKey(list)
  const first = firstRenderableKey(list)
  const to = advance(list, Math.min(end, Math.max(rendered.to, first)), end, budget)
  const from = Math.min(Math.max(rendered.from, first), to)
  return { from, to, isComplete: from === first && to === end }
}

/**
 * Returns the range to render instead of `rendered` for a user who follows the end of the list. Returns `null` if the
 * rendered entries reach close enough to the end. After a burst the newest entries come first, and the older ones follow
 * frame by frame.
 */
export function jumpToNewest(list: MessageList, rendered: Interval, maxEntries: number): Interval | null {
  const missing = endKey(list) - rendered.to
  return missing > Math.max(maxEntries, entriesPerFrame) ? initialRange(list, endKey(list), maxEntries) : null
}

/** Extends the range by the budget of one frame: first to the newest entries, then to older ones. */
export function extendByFrame(list: MessageList, rendered: Interval): RenderedRange {
  const budget = frameBudget()
  const { from: start, to } = extendToNewest(list, rendered, budget)
  const first = firstRenderableKey(list)
  const from = advance(list, start, first, budget)
  return { from, to, isComplete: from === first && to === endKey(list) }
}

export function printedRange(list: MessageList): Interval {
  const end = endKey(list)
  return { from: Math.max(list.firstKey, end - maxPrintedEntries), to: end }
}
