import { chmodSync, closeSync, fsyncSync, openSync, readFileSync, statSync, type Stats, writeSync } from 'node:fs'
import { createPrivateFile } from './private-files.ts'

/** Identity of a database file. A file that replaces it has another inode or a later birth time. */
interface FileIdentity {
  inode: number
  /** Birth time of the file; `null` if it is unknown, for example in a record of an older version. */
  bornMs: number | null
}

/** Highest seq that the log has assigned, and the database file that holds it. */
interface HeadRecord extends FileIdentity {
  epoch: string
  head: number
  /** Term of the head; missing in a record of an earlier version. */
  term?: string
}

type ReadStats = (file: string) => Pick<Stats, 'ino' | 'mode' | 'birthtimeMs' | 'ctimeMs'>

/**
 * Returns the identity of a database file. The inode is not enough: some file systems give a new file the inode of a
 * file that was just removed. Where `statx` is blocked, as in some containers, Node reports ctime as the birth time.
 * That value changes with every start and is ignored.
 */
export function identityOf(databaseFile: string, readStats: ReadStats = statSync): FileIdentity {
  advanceCtime(databaseFile, readStats(databaseFile).mode)
  const { ino, birthtimeMs, ctimeMs } = readStats(databaseFile)
  const isRealBirthTime = birthtimeMs > 0 && birthtimeMs < ctimeMs
  return { inode: ino, bornMs: isRealBirthTime ? Math.floor(birthtimeMs) : null }
}

/** Makes ctime later than the birth time. If both are equal, the birth time may be a copy of ctime. */
function advanceCtime(file: string, mode: number): void {
  try {
    chmodSync(file, mode & 0o7777)
  } catch {
    // The file belongs to another user. Its times are used as they are.
  }
}

/** Returns whether two identities are of the same file. Compares the inodes, and the birth times when both are known. */
export function isSameFile(one: FileIdentity, other: FileIdentity): boolean {
  const isBirthKnown = one.bornMs !== null && other.bornMs !== null
  return one.inode === other.inode && (!isBirthKnown || one.bornMs === other.bornMs)
}

/** Size of the record. It is small enough that a crash of the process cannot leave a partial write. */
const recordBytes = 192

/** Reads the head record; returns `null` when the file is missing or invalid. */
export function readHeadFile(file: string): HeadRecord | null {
  try {
    const { epoch, head, inode, bornMs, term } = JSON.parse(readFileSync(file, 'utf8')) as Record<
      keyof HeadRecord,
      unknown
    >
    if (typeof epoch !== 'string') return null
    if (typeof head !== 'number' || typeof inode !== 'number') return null
    const known = { epoch, head, inode, bornMs: typeof bornMs === 'number' ? bornMs : null }
    return typeof term === 'string' ? { ...known, term } : known
  } catch {
    return null
  }
}

/**
 * Opens the file that records the head of the log beside the database, so that the server detects a restored backup.
 * The log writes it after each commit of messages, so the record is never ahead of the database. `write` does not wait for
 * fsync: a record that is slightly behind after a power failure does no harm.
 */
export function openHeadFile(file: string) {
  createPrivateFile(file)
  const descriptor = openSync(file, 'r+')

  function write(record: HeadRecord): void {
    writeSync(descriptor, `${JSON.stringify(record).padEnd(recordBytes - 1)}\n`, 0)
  }

  return {
    write,
    writeAndSync(record: HeadRecord): void {
      write(record)
      fsyncSync(descriptor)
    },
    close: () => closeSync(descriptor),
  }
}

/** Returns the path of the head file of a database: `messages.head` for `messages.sqlite`. */
export function headFileOf(databaseFile: string): string {
  return databaseFile.replace(/(\.sqlite)?$/, '.head')
}
