import { createContext, useContext } from 'react'
import { type Cell, createCell } from '../../connection/cell.ts'
import { initialReading, type ReadingState } from './reading-state.ts'

/** Entry near the top edge of the list, and its distance above that edge (negative when below). */
export interface Anchor {
  readonly key: number
  readonly offsetPx: number
}

/** State of the room that survives a change of screen, for the lifetime of the page. */
export interface ReadingMemory {
  readonly reading: Cell<ReadingState>
  /** Scroll position while the list does not follow its end. A separate cell, because any scroll event can change it. */
  readonly anchor: Cell<Anchor>
  readonly processed: Cell<ProcessedEntries>
}

/** Entries that `reading` already includes. */
interface ProcessedEntries {
  /** Key after the last included entry. */
  readonly end: number
  readonly newestOwnKey: number | null
}

export const createReadingMemory = (): ReadingMemory => ({
  reading: createCell(initialReading),
  anchor: createCell<Anchor>({ key: 0, offsetPx: 0 }),
  processed: createCell<ProcessedEntries>({ end: 0, newestOwnKey: null }),
})

const ReadingMemoryContext = createContext<ReadingMemory>(createReadingMemory())

export const ReadingMemoryProvider = ReadingMemoryContext.Provider

export const useReadingMemory = () => useContext(ReadingMemoryContext)
