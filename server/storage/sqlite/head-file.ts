import { chmodSync, closeSync, fsyncSync, openSync, readFileSync, statSync, type Stats, writeSync } from 'node:fs'
import { createPrivately } from './private-files.ts'

/** Of a database: a copy put in its place has another inode, or was born later. */
interface FileIdentity {
  inode: number
  /** `null` when it is not known: not every system tells, and earlier versions did not write it down. */
  bornMs: number | null
}

/** How far the log had given out seqs, and in which file. */
export interface HeadRecord extends FileIdentity {
  epoch: string
  head: number
}

type ReadStats = (file: string) => Pick<Stats, 'ino' | 'mode' | 'birthtimeMs' | 'ctimeMs'>

/**
 * Which file this is. Its birth counts too, since some file systems give a new file the inode of the one that was just
 * removed. Where the system call for births is blocked, as in some containers, Node gives the time of the last change in
 * their place: that one would make another file of it at every start.
 */
export function identityOf(databaseFile: string, readStats: ReadStats = statSync): FileIdentity {
  touch(databaseFile, readStats(databaseFile).mode)
  const { ino, birthtimeMs, ctimeMs } = readStats(databaseFile)
  const isTrueBirth = birthtimeMs > 0 && birthtimeMs < ctimeMs
  return { inode: ino, bornMs: isTrueBirth ? Math.floor(birthtimeMs) : null }
}

/** Makes it a file that has changed since its birth: only then can the two times be told apart. */
function touch(file: string, mode: number): void {
  try {
    chmodSync(file, mode & 0o7777)
  } catch {
    // Another user's, though ours to write: then it is known by what it shows.
  }
}

/** What is not known of one of them tells nothing. */
export function isSameFile(one: FileIdentity, other: FileIdentity): boolean {
  const isBirthKnown = one.bornMs !== null && other.bornMs !== null
  return one.inode === other.inode && (!isBirthKnown || one.bornMs === other.bornMs)
}

/** One write of this size is never seen half done after a crash of the process. */
const recordBytes = 128

/** `null` when there is none that can be read. */
export function readHeadFile(file: string): HeadRecord | null {
  try {
    const { epoch, head, inode, bornMs } = JSON.parse(readFileSync(file, 'utf8')) as Record<keyof HeadRecord, unknown>
    if (typeof epoch !== 'string') return null
    if (typeof head !== 'number' || typeof inode !== 'number') return null
    return { epoch, head, inode, bornMs: typeof bornMs === 'number' ? bornMs : null }
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
