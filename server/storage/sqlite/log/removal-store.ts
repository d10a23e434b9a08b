import { removedText } from '../../../../contract/constants.ts'
import { maxKeptRemovals, type Removal } from '../../../room/removals.ts'
import type { LogStatements } from './log-statements.ts'

interface RemovalStoreDeps {
  sql: LogStatements
  transact: <Result>(work: () => Result) => Result
  nowMs: () => number
  maxAgeMs: number
}

/**
 * Creates the queries for the removals of the log. The caller truncates the write-ahead log, which still holds the erased
 * texts.
 */
export function createRemovalStore({ sql, transact, nowMs, maxAgeMs }: RemovalStoreDeps) {
  const count = () => Number(sql.countRemovals.get()?.['removals'])

  return {
    /** Returns all removals that are kept. */
    load: (): Removal => ({ removals: count(), seqs: sql.keptRemovals.all().map(({ seq }) => Number(seq)) }),

    /** Erases the texts of messages. Returns the seqs that were removed, and the number of removals. */
    remove(seqs: readonly number[]): Removal {
      return transact(() => {
        const removed = seqs.filter((seq) => sql.erase.run(removedText, seq).changes === 1)
        const before = count()
        const removals = before + removed.length
        for (const [index, seq] of removed.entries()) sql.addRemoval.run(before + index + 1, seq, nowMs())
        sql.setRemovals.run(removals)
        sql.dropRemovals.run(nowMs() - maxAgeMs, removals - maxKeptRemovals)
        return { removals, seqs: removed }
      })
    },
  }
}
