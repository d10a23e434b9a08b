import { startStorageThread } from '../../sqlite/storage-thread.ts'
import type { LogRange, MessageLog, Retention } from '../message-log.ts'
import type { LogCalls } from './sqlite-log-worker.ts'

interface LogEvents {
  onDied?: (error: Error) => void
  onCreated?: () => void
  /** The file holds less than was given out, or is another one: returning pages are told that messages may be missing. */
  onEpochRenewed?: () => void
}

/** The room's log in an SQLite file, written by a thread of its own: a slow disk never blocks the event loop. */
export async function openSqliteLog(file: string, retention: Retention, events: LogEvents = {}): Promise<MessageLog> {
  const thread = startStorageThread<LogCalls>({
    script: new URL('./sqlite-log-worker.ts', import.meta.url),
    workerData: { file, retention },
    stores: 'messages',
    onDied: events.onDied ?? (() => undefined),
  })
  const opened = await thread.callAtStart('open')
  if (opened.isNew) events.onCreated?.()
  if (opened.epochRenewed) events.onEpochRenewed?.()
  let range: LogRange = opened.range

  return {
    epoch: opened.epoch,
    range: () => range,
    async append(entries) {
      const answer = await thread.callPatiently('append', entries)
      range = answer.range
      return answer.outcomes
    },
    async readAfter(afterSeq, page) {
      const answer = await thread.call('readAfter', afterSeq, page)
      range = answer.range
      return answer.messages
    },
    checkWritable: () => thread.call('checkWritable'),
    close: () => thread.close(),
  }
}
