import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { createPrivately } from './private-files.ts'

/** How far the log had given out seqs, and in which file. */
export interface HeadRecord {
  epoch: string
  head: number
  /** Of the database: a copy put in its place has another one. */
  inode: number
}

/** One write of this size is never seen half done after a crash of the process. */
const recordBytes = 128

/** `null` when there is none that can be read. */
export function readHeadFile(file: string): HeadRecord | null {
  try {
    const { epoch, head, inode } = JSON.parse(readFileSync(file, 'utf8')) as Record<keyof HeadRecord, unknown>
    if (typeof epoch !== 'string' || typeof head !== 'number' || typeof inode !== 'number') return null
    return { epoch, head, inode }
  } catch {
    return null
  }
}

/**
 * Remembers beside the database how far it had got, so that one restored from a backup is known for what it is.
 * Written after each commit, so that it never claims more than is stored; it goes to the disk in the operating
 * system's own time, since after a power failure a record that is a little behind does no harm.
 */
export function openHeadFile(file: string) {
  createPrivately(file)
  const target = openSync(file, 'r+')

  function write(record: HeadRecord): void {
    writeSync(target, `${JSON.stringify(record).padEnd(recordBytes - 1)}\n`, 0)
  }

  return {
    write,
    writeThrough(record: HeadRecord): void {
      write(record)
      fsyncSync(target)
    },
    close: () => closeSync(target),
  }
}

/** `messages.sqlite` has its head in `messages.head`. */
export function headFileOf(databaseFile: string): string {
  return databaseFile.replace(/(\.sqlite)?$/, '.head')
}
