import { startThread } from '../../sqlite/worker-calls.ts'
import type { LogRange, MessageLog, Retention } from '../message-log.ts'
import type { LogAnswer, LogRequest } from './sqlite-log-worker.ts'

/** The room's log in an SQLite file, written by a thread of its own: a slow disk never blocks the event loop. */
export async function openSqliteLog(file: string, retention: Retention): Promise<MessageLog> {
  const thread = startThread<LogRequest, LogAnswer>(new URL('./sqlite-log-worker.ts', import.meta.url), {
    file,
    retention,
  })
  const opened = await thread.call<Extract<LogAnswer, { kind: 'opened' }>>({ kind: 'open' })
  let range: LogRange = opened.range

  return {
    epoch: opened.epoch,
    range: () => range,
    async append(entries) {
      const answer = await thread.call<Extract<LogAnswer, { kind: 'appended' }>>({ kind: 'append', entries })
      range = answer.range
      return answer.outcomes
    },
    async readAfter(afterSeq, page) {
      const answer = await thread.call<Extract<LogAnswer, { kind: 'read' }>>({ kind: 'read', afterSeq, page })
      range = answer.range
      return answer.messages
    },
    async checkWritable() {
      await thread.call({ kind: 'check' })
    },
    close: () => thread.close(),
  }
}
