import type { DatabaseSync } from 'node:sqlite'
import { beginTerm, cursorAt, isContinuous, type Lineage, randomToken, startLineage } from '../../../room/lineage.ts'
import { headFileOf, identityOf, isSameFile, openHeadFile, readHeadFile } from '../head-file.ts'

/**
 * Begins a term of the log at each start, so that the cursor of a returning client shows whether the client has received
 * messages that were lost. The log also gets a new epoch if messages may be lost. This is the case if the head file names
 * a message that the log has never held, is missing or invalid, or describes another database file.
 */
export function openLogIdentity(
  database: DatabaseSync,
  file: string,
  retained: { oldest: number | null; newest: number },
) {
  const identity = identityOf(file)
  const headFile = headFileOf(file)
  const record = readHeadFile(headFile)
  const created = database.prepare('INSERT OR IGNORE INTO room (id, epoch, head) VALUES (1, ?, 0)').run(randomToken())
  const isNew = created.changes === 1
  const stored = database.prepare('SELECT epoch, head FROM room').get()
  const storedHead = Math.max(Number(stored?.['head']), retained.newest)
  const oldest = retained.oldest ?? storedHead + 1
  const before = { lineage: readTerms() ?? startLineage(oldest, String(stored?.['epoch'])), oldest, head: storedHead }
  const continuesRecord =
    record !== null && isSameFile(record, identity) && isContinuous({ ...record, seq: record.head }, before)
  const isEpochRenewed = (!isNew || record !== null) && !continuesRecord
  // A page of an earlier version treats head 0 as a room that never had a message, and would not report a gap.
  const head = isEpochRenewed ? Math.max(storedHead, 1) : storedHead
  const line = { ...before, head }
  const lineage = isNew
    ? startLineage(head + 1, randomToken())
    : beginTerm(line, isEpochRenewed ? randomToken() : undefined)
  const { epoch } = cursorAt(lineage, head)
  writeTerms()
  const headRecord = openHeadFile(headFile)
  headRecord.writeAndSync(recordOf(head))
  let unwrittenHead: number | null = null

  function readTerms(): Lineage | null {
    const rows = database.prepare('SELECT id, first, epoch FROM terms ORDER BY position').all()
    const terms = rows.map(({ id, first, epoch }) => ({ id: String(id), first: Number(first), epoch: String(epoch) }))
    const [base, ...rest] = terms
    return base === undefined ? null : [base, ...rest]
  }

  function writeTerms(): void {
    database.exec('BEGIN IMMEDIATE; DELETE FROM terms')
    const insert = database.prepare('INSERT INTO terms (id, first, epoch) VALUES (?, ?, ?)')
    for (const term of lineage) insert.run(term.id, term.first, term.epoch)
    database.prepare('UPDATE room SET epoch = ?, head = ?').run(epoch, head)
    database.exec('COMMIT')
  }

  function recordOf(seq: number) {
    return { epoch, head: seq, ...identity, term: cursorAt(lineage, seq).term }
  }

  return {
    lineage,
    head,
    isNew,
    /** Whether this start renewed the epoch. The server then notifies returning clients that messages may be missing. */
    isEpochRenewed,
    /** Records the head after a commit. Does not throw: the messages are already stored. */
    recordHead(head: number): void {
      try {
        headRecord.write(recordOf(head))
      } catch {
        unwrittenHead = head
      }
    },
    /** Repeats a failed write before the next commit. Throws if it fails again, so that the record lacks at most one commit. */
    retryRecordHead(): void {
      if (unwrittenHead !== null) headRecord.write(recordOf(unwrittenHead))
      unwrittenHead = null
    },
    close: () => headRecord.close(),
  }
}
