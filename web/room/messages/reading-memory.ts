import { createContext, useContext } from 'react'
import { type Cell, createCell } from '../../connection/cell.ts'
import { type Reading, startOfReading } from './reading.ts'

/** Keeps the reader's place for as long as the page lives, whatever screen is shown. */
export type ReadingMemory = Cell<Reading>

export const createReadingMemory = (): ReadingMemory => createCell(startOfReading)

const ReadingMemoryContext = createContext<ReadingMemory>(createReadingMemory())

export const ReadingMemoryProvider = ReadingMemoryContext.Provider

export const useReadingMemory = () => useContext(ReadingMemoryContext)
