import { startStorageThread } from '../storage-thread.ts'
import {
  freshMessages,
  type LogListener,
  type LogRange,
  type MessageLog,
  type Retention,
} from '../../../room/message-log.ts'
import type { LogCalls } from './sqlite-log-worker.ts'

interface LogEvents extends Partial<LogListener> {
  onDied?: (error: Error) => void
  onCreated?: () => void
  /** The database was restored or replaced, so it may lack messages that clients have received. */
  onEpochRenewed?: () => void
}

/** Stores messages in an SQLite file. A worker thread does the I/O, so that a slow disk does not block the event loop. */
export async function openSqliteLog(file: string, retention: Retention, events: LogEvents = {}): Promise<MessageLog> {
  const thread = startStorageThread<LogCalls>({
    script: new URL('./sqlite-log-worker.ts', import.meta.url),
    workerData: { file, retention },
    stores: 'messages',
    onDied: events.onDied ?? (() => undefined),
  })
  const opened = await thread.callAtStart('open')
  if (opened.isNew) events.onCreated?.()
  if (opened.isEpochRenewed) events.onEpochRenewed?.()
  const { epoch } = opened
  let range: LogRange = opened.range

  return {
    stand: () => ({ epoch, ...range }),
    async append(entries, settle) {
      const reply = await thread.callWithoutTimeout('append', entries)
      range = reply.range
      settle(reply.outcomes)
      events.stored?.({ epoch, messages: freshMessages(entries, reply.outcomes) })
    },
    catchUp: () => null,
    newest: () => null,
    async readAfter(cursor, page) {
      if (cursor.epoch !== epoch) return null
      const reply = await thread.call('readAfter', cursor.seq, page)
      range = reply.range
      return reply.messages
    },
    check: () => thread.call('checkWritable'),
    close: () => thread.close(),
  }
}
