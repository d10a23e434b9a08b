import { closeSync, fsyncSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { createPrivately } from './private-files.ts'

/** How far the log had given out seqs, and in which file. */
export interface HeadRecord {
  epoch: string
  head: number
  /** Of the database, with the moment of its birth: a copy put in its place has another one, or was born later. */
  inode: number
  bornMs: number
}

/** Which file this is. Some file systems give a new file the inode of the one that was just removed. */
export function identityOf(databaseFile: string): Pick<HeadRecord, 'inode' | 'bornMs'> {
  const { ino, birthtimeMs } = statSync(databaseFile)
  return { inode: ino, bornMs: Math.floor(birthtimeMs) }
}

/** One write of this size is never seen half done after a crash of the process. */
const recordBytes = 128

/** `null` when there is none that can be read. */
export function readHeadFile(file: string): HeadRecord | null {
  try {
    const { epoch, head, inode, bornMs } = JSON.parse(readFileSync(file, 'utf8')) as Record<keyof HeadRecord, unknown>
    if (typeof epoch !== 'string') return null
    if (typeof head !== 'number' || typeof inode !== 'number' || typeof bornMs !== 'number') return null
    return { epoch, head, inode, bornMs }
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
