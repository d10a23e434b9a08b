import type { OperatorMessage, LogRange, StoredSender } from '../../../room/message-log.ts'
import type { LogStatements } from './log-statements.ts'
import { decodeListed, type ListedRow } from './message-row.ts'

/**
 * Creates the queries of moderators and operators: the sender of a message, the messages of a sender, and the newest
 * messages.
 */
export function createSenderQueries(sql: LogStatements, range: () => LogRange) {
  function list(afterSeq: number, lastSeq: number): OperatorMessage[] {
    return (sql.newest.all(afterSeq, lastSeq) as unknown as ListedRow[]).map(decodeListed)
  }

  return {
    senderOf(seq: number): (StoredSender & { username: string }) | null {
      const [found] = list(seq - 1, seq)
      return found?.sender == null ? null : { ...found.sender, username: found.message.username }
    },
    seqsOfSender({ accountId, network }: StoredSender): number[] {
      if (accountId === null && network === '') return []
      const rows = accountId === null ? sql.ofAnonymous.all(network) : sql.ofAccount.all(accountId)
      return rows.map(({ seq }) => Number(seq))
    },
    listForOperator(count: number, before?: number): OperatorMessage[] {
      const last = Math.min(range().head, (before ?? Infinity) - 1)
      return list(last - count, last)
    },
  }
}
