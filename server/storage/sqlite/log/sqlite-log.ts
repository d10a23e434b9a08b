import { startStorageThread } from '../storage-thread.ts'
import { addedMessages, type LogRange, type MessageLog, type Retention } from '../../../room/message-log.ts'
import { newestTerm } from '../../../room/lineage.ts'
import { createLogSubscribers } from '../../../room/log-subscribers.ts'
import { createRemovalHistory, splitSeqs } from '../../../room/removals.ts'
import type { SqliteStoreCallbacks } from '../store-callbacks.ts'
import type { LogCalls } from './sqlite-log-worker.ts'

/** Maximum number of messages that one call removes. Appends wait for the call. */
const maxRemovedPerCall = 500

/**
 * Opens the message log in an SQLite file. A worker thread does the I/O, so that a slow disk does not block the event
 * loop.
 */
export async function openSqliteLog(
  file: string,
  retention: Retention,
  { report, onDied }: SqliteStoreCallbacks,
): Promise<MessageLog> {
  const thread = startStorageThread<LogCalls>({
    script: new URL('./sqlite-log-worker.ts', import.meta.url),
    workerData: { file, retention },
    stores: 'messages',
    onDied,
  })
  const opened = await thread.callAtStart('open')
  if (opened.isNew) report({ type: 'database-created', file })
  if (opened.isEpochRenewed) report({ type: 'log-epoch-renewed', file })
  const subscribers = createLogSubscribers()
  const { lineage } = opened
  const { epoch } = newestTerm(lineage)
  const removals = createRemovalHistory()
  removals.add(opened.removal)
  let range: LogRange = opened.range

  return {
    bounds: () => ({ epoch, ...range }),
    lineage: () => lineage,
    subscribe: subscribers.subscribe,
    async append(entries, acknowledge) {
      const reply = await thread.callWithoutTimeout('append', entries)
      range = reply.range
      acknowledge(reply.outcomes)
      subscribers.onStored({ epoch, messages: addedMessages(entries, reply.outcomes) })
    },
    catchUp: () => null,
    fetchHead: () => null,
    async readAfter(cursor, page) {
      if (cursor.epoch !== epoch) return null
      const reply = await thread.call('readAfter', cursor.seq, page)
      range = reply.range
      return reply.messages
    },
    removals: () => removals,
    async remove(seqs) {
      const removed: number[] = []
      for (const some of splitSeqs(seqs, maxRemovedPerCall)) {
        const removal = await thread.callWithoutTimeout('remove', some)
        if (removal.seqs.length === 0) continue
        removals.add(removal)
        subscribers.onRemoved(removal)
        for (const seq of removal.seqs) removed.push(seq)
      }
      return removed
    },
    senderOf: (seq) => thread.call('senderOf', seq),
    seqsOfSender: (sender) => thread.call('seqsOfSender', sender),
    listForOperator: (count, before) => thread.call('listForOperator', count, before),
    check: () => thread.call('checkWritable'),
    close: () => thread.close(),
  }
}
