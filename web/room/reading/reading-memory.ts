import { createContext, useContext } from 'react'
import { type Cell, createCell } from '../../connection/cell.ts'
import { type Reading, startOfReading } from './reading.ts'

/** An entry near the upper edge of the list, and how far its own upper edge is above that (below, if negative). */
export interface Anchor {
  readonly key: number
  readonly offsetPx: number
}

/** Keeps what is known of the reader for as long as the page lives, whatever screen is shown. */
export interface ReadingMemory {
  readonly reading: Cell<Reading>
  /** Where a reader is who is not at the end. Apart, because it changes with every pixel, and little is drawn from it. */
  readonly anchor: Cell<Anchor>
  readonly known: Cell<Known>
}

/** What has been taken into `reading`. */
interface Known {
  /** Entries before this key. */
  readonly end: number
  /** The newest entry of the reader's own. */
  readonly own: number | null
}

export const createReadingMemory = (): ReadingMemory => ({
  reading: createCell(startOfReading),
  anchor: createCell<Anchor>({ key: 0, offsetPx: 0 }),
  known: createCell<Known>({ end: 0, own: null }),
})

const ReadingMemoryContext = createContext<ReadingMemory>(createReadingMemory())

export const ReadingMemoryProvider = ReadingMemoryContext.Provider

export const useReadingMemory = () => useContext(ReadingMemoryContext)
