import type { OperatorMessage, StoredSender } from '../../../room/message-log.ts'
import type { LogStatements } from './log-statements.ts'
import { decodeListed, type ListedRow } from './message-row.ts'

/**
 * Creates the queries of moderators and operators: the sender of a message, the messages of a sender, and the newest
 * messages.
 */
export function createSenderQueries(sql: LogStatements) {
  return {
    senderOf(seq: number): (StoredSender & { username: string }) | null {
      const row = sql.messageAt.get(seq) as ListedRow | undefined
      if (row === undefined) return null
      const { sender, message } = decodeListed(row)
      return sender === null ? null : { ...sender, username: message.username }
    },
    seqsOfSender({ accountId, network }: StoredSender): number[] {
      if (accountId === null && network === '') return []
      const rows = accountId === null ? sql.ofAnonymous.all(network) : sql.ofAccount.all(accountId)
      return rows.map(({ seq }) => Number(seq))
    },
    listForOperator(count: number, before?: number): OperatorMessage[] {
      const rows = sql.newest.all(before ?? Number.MAX_SAFE_INTEGER, Math.max(0, count)) as unknown as ListedRow[]
      return rows.map(decodeListed).toReversed()
    },
  }
}
