import { randomBytes } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { headFileOf, identityOf, isSameFile, openHeadFile, readHeadFile } from '../head-file.ts'

/** Creates a short random epoch; every message carries it. */
const newEpoch = () => randomBytes(6).toString('base64url')

/**
 * Determines the epoch of the log. A log that was restored from a backup, or whose file was replaced, may be behind the
 * seqs that clients have received, so it gets a new epoch. Under the old epoch it would assign those seqs again, and
 * clients would ignore the messages as duplicates.
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
  const continuesRecord = record?.epoch === epoch && record.head <= storedHead && isSameFile(record, identity)
  const isEpochRenewed = (!isNew || record !== null) && !continuesRecord
  if (isEpochRenewed) epoch = newEpoch()
  // A client takes head 0 for a room that never had a message and would not report a gap.
  const head = isEpochRenewed ? Math.max(storedHead, 1) : storedHead
  database.prepare('UPDATE room SET epoch = ?, head = ?').run(epoch, head)
  const headRecord = openHeadFile(headFile)
  headRecord.writeAndSync({ epoch, head, ...identity })
  let unwrittenHead: number | null = null

  return {
    epoch,
    head,
    isNew,
    /** The server tells returning clients that messages may be missing. */
    isEpochRenewed,
    /** Records the head after a commit. Does not throw: the messages are already stored. */
    recordHead(head: number): void {
      try {
        headRecord.write({ epoch, head, ...identity })
      } catch {
        unwrittenHead = head
      }
    },
    /** Repeats a failed write before the next commit. Throws when it fails again: the record must not fall behind. */
    retryRecordHead(): void {
      if (unwrittenHead !== null) headRecord.write({ epoch, head: unwrittenHead, ...identity })
      unwrittenHead = null
    },
    close: () => headRecord.close(),
  }
}
