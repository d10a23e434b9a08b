import { createContext, useContext } from 'react'
import { type Reading, startOfReading } from './reading.ts'

/** Keeps the reader's place for as long as the page lives, whatever screen is shown. */
export interface ReadingMemory {
  current: Reading
}

export const createReadingMemory = (): ReadingMemory => ({ current: startOfReading })

const ReadingMemoryContext = createContext<ReadingMemory>(createReadingMemory())

export const ReadingMemoryProvider = ReadingMemoryContext.Provider

export const useReadingMemory = () => useContext(ReadingMemoryContext)
