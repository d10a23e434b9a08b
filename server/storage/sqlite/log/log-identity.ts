import { randomBytes } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { headFileOf, identityOf, isSameFile, openHeadFile, readHeadFile } from '../head-file.ts'

/** Short, because every message carries it. */
const newEpoch = () => randomBytes(6).toString('base64url')

/**
 * Decides under which epoch the log goes on. A log that holds less than was given out, because it was restored from a
 * backup or another file was put in its place, gets a new one: under the old one its next messages would bear seqs that
 * pages have seen already, and would never be shown there.
 */
export function openLogIdentity(database: DatabaseSync, file: string, newestSeq: number) {
  const identity = identityOf(file)
  const headFile = headFileOf(file)
  const record = readHeadFile(headFile)
  const created = database.prepare('INSERT OR IGNORE INTO room (id, epoch, head) VALUES (1, ?, 0)').run(newEpoch())
  const stored = database.prepare('SELECT epoch, head FROM room').get()
  const storedHead = Math.max(Number(stored?.['head']), newestSeq)
  let epoch = String(stored?.['epoch'])
  const isNew = created.changes === 1
  const goesOn = record?.epoch === epoch && record.head <= storedHead && isSameFile(record, identity)
  const renewed = (!isNew || record !== null) && !goesOn
  if (renewed) epoch = newEpoch()
  // At 0 a page takes it for a room in which nothing was ever said, and so missed nothing.
  const head = renewed ? Math.max(storedHead, 1) : storedHead
  database.prepare('UPDATE room SET epoch = ?, head = ?').run(epoch, head)
  const sidecar = openHeadFile(headFile)
  sidecar.writeThrough({ epoch, head, ...identity })
  let unwritten: number | null = null

  return {
    epoch,
    head,
    isNew,
    /** Pages that come back are told that messages may be missing. */
    renewed,
    /** After a commit, which nothing may turn into a failure any more. */
    remember(head: number): void {
      try {
        sidecar.write({ epoch, head, ...identity })
      } catch {
        unwritten = head
      }
    },
    /** Before the next one: what could not be written must be now, or the file falls further and further behind. */
    catchUp(): void {
      if (unwritten !== null) sidecar.write({ epoch, head: unwritten, ...identity })
      unwritten = null
    },
    close: () => sidecar.close(),
  }
}
