import type { RepeatedRejectionCode, SendRejectionCode } from '../../../contract/rejections.ts'
import type { FaultPoint } from '../../base/fault-point.ts'
import { restarting, roomBusyText } from '../../base/common-rejections.ts'
import { RejectionError } from '../../base/rejection-error.ts'
import { createFlushScheduler } from './flush-scheduler.ts'
import { storageDeadlineMs, storageTimeoutError } from '../../base/storage-error.ts'
import {
  type AppendOutcome,
  type AppendRejectionCode,
  addedMessages,
  type LogEntry,
  type MessageLog,
} from '../message-log.ts'
import { createSendQueue, type QueuedMessage } from './send-queue.ts'
import type { Report } from '../../observe/events.ts'
import { createStorageHealth } from '../../observe/storage-health.ts'

const storageRetryMs = 1_000

interface RoomDeps {
  report: Report
  /** Runs the callback that acknowledges a whole batch, so that the acks of one sender are sent in one write. */
  batchAcks: (acknowledgeAll: () => void) => void
  /**
   * Resolves when all messages that the log has reported are written to the live subscribers, or dropped for replay. The
   * next flush waits for this.
   */
  fanOutDone: () => Promise<void>
  /** Returns the number of subscribers: the maximum number of connections that a batch is written to. */
  subscriberCount: () => number
  /** Fault points at which tests kill the process. */
  faultPoint: FaultPoint<'after-commit-before-ack' | 'after-commit-before-broadcast'>
}

/**
 * State of sending. `open`: messages are queued. `hanging`: the current flush missed its deadline and its messages were
 * rejected; new messages are rejected too until the append ends. `closed`: the server is shutting down.
 */
type RoomState = 'open' | 'hanging' | 'closed'

/** Queues accepted messages, stores each batch and acknowledges it. The log publishes the batch. */
export function createRoom(
  log: Pick<MessageLog, 'append' | 'check'>,
  { report, batchAcks, fanOutDone, subscriberCount, faultPoint }: RoomDeps,
) {
  const queue = createSendQueue()
  let flushed: Promise<number> = Promise.resolve(0)
  /**
   * Promise that resolves when the current batch is acknowledged or rejected. If the disk hangs, the batch is rejected
   * before its flush ends.
   */
  let acknowledged: Promise<void> = Promise.resolve()
  let state: RoomState = 'open'
  const health = createStorageHealth(() => log.check(), {
    onFailed: (error) => report({ type: 'storage-unavailable', error }),
    onRecovered: () => report({ type: 'storage-available' }),
  })
  const scheduler = createFlushScheduler(() => (flushed = flush()))

  /**
   * Stores one batch and acknowledges or rejects it. Resolves after its fan-out, to the duration of the fan-out; 0 if the
   * batch is empty or was not stored.
   */
  async function flush(): Promise<number> {
    const batch = queue.takeBatch(subscriberCount())
    if (batch.length === 0) return 0
    // The rest of a burst goes into the next window.
    if (!queue.isEmpty()) scheduler.request()
    const startedAtMs = performance.now()
    const entries = batch.map(({ entry }) => entry)
    const { promise, resolve: markAcknowledged } = Promise.withResolvers<void>()
    acknowledged = promise
    let isRejected = false
    const timer = setTimeout(() => {
      isRejected = true
      if (state === 'open') state = 'hanging'
      health.noteFailure(storageTimeoutError('messages', storageDeadlineMs))
      rejectBatch([...batch, ...queue.takeAll()])
      markAcknowledged()
    }, storageDeadlineMs)
    let storedAtMs: number | null = null
    try {
      const onStored = (outcomes: readonly AppendOutcome[]) => {
        storedAtMs = performance.now()
        acknowledgeBatch(isRejected ? [] : batch, entries, outcomes)
        const { length: messages } = addedMessages(entries, outcomes)
        report({ type: 'batch-stored', messages, storeMs: storedAtMs - startedAtMs })
      }
      await log.append(entries, onStored, (index) => batch[index]?.isAllowed() ?? false)
    } catch (error) {
      // An error after the batch was stored is a defect of a later step, not a storage error; rethrow it.
      if (storedAtMs !== null) throw error
      health.noteFailure(error)
      if (!isRejected) rejectBatch(batch)
      return 0
    } finally {
      if (state === 'hanging') state = 'open'
      clearTimeout(timer)
      markAcknowledged()
    }
    // Messages that arrive during the fan-out form the next batch: a large room is at most one batch behind.
    await fanOutDone()
    return storedAtMs === null ? 0 : performance.now() - storedAtMs
  }

  /**
   * Acknowledges or rejects the messages of a stored batch. `batch` is empty if it was already rejected at the deadline. A
   * repeated message gets the seq of the stored message.
   */
  function acknowledgeBatch(
    batch: readonly QueuedMessage[],
    entries: LogEntry[],
    outcomes: readonly AppendOutcome[],
  ): void {
    health.noteSuccess()
    const texts = () => entries.map(({ message }) => message.message)
    faultPoint('after-commit-before-ack', texts)
    batchAcks(() => {
      for (const [index, { acknowledge, onStored }] of batch.entries()) {
        const outcome = outcomes[index]
        if (outcome !== undefined && 'seq' in outcome && !outcome.repeated) onStored()
        acknowledge(ackResult(outcome))
      }
    })
    faultPoint('after-commit-before-broadcast', texts)
  }

  function rejectBatch(batch: readonly QueuedMessage[]): void {
    report({ type: 'batch-rejected' })
    const rejection = unavailable('The message cannot be stored at the moment.')
    batchAcks(() => {
      for (const { acknowledge } of batch) acknowledge(rejection)
    })
  }

  return {
    /**
     * Queues a message. Calls its `acknowledge` once, with the seq of the stored message or with the reason why it was
     * rejected.
     */
    post(message: QueuedMessage): void {
      const { acknowledge } = message
      if (state === 'closed') acknowledge(restarting())
      else if (state === 'hanging') acknowledge(unavailable('Messages cannot be stored at the moment.'))
      else if (queue.add(message)) scheduler.request()
      else acknowledge(unavailable(roomBusyText))
    },

    isWritable: () => health.isHealthy(),

    /**
     * Stores and acknowledges the queued messages, then rejects new ones. Waits for a flush at most until its deadline.
     * At the deadline, the room rejects the messages of the flush and the queued messages. A second call has no effect.
     */
    async close(): Promise<void> {
      scheduler.stop()
      await Promise.race([flushed, acknowledged])
      while (state !== 'hanging' && !queue.isEmpty()) {
        flushed = flush()
        await Promise.race([flushed, acknowledged])
      }
      state = 'closed'
      health.stop()
    },
  }
}

export type Room = ReturnType<typeof createRoom>

function unavailable(message: string): RejectionError<SendRejectionCode> {
  return new RejectionError('unavailable', message, storageRetryMs)
}

type AppendRejection<Code> = Code extends RepeatedRejectionCode
  ? { text: string; retryAfterMs: number }
  : { text: string; retryAfterMs?: undefined }

const appendRejections: { readonly [Code in AppendRejectionCode]: AppendRejection<Code> } = {
  id_conflict: { text: 'Not stored: another message has the same id. Send it again as a new message.' },
  expired: { text: 'The server cannot tell whether this message was stored. Send it again if it is not in the list.' },
  unauthorized: { text: 'The login is no longer valid.' },
}

function ackResult(outcome: AppendOutcome | undefined): number | RejectionError<SendRejectionCode> {
  if (outcome !== undefined && 'seq' in outcome) return outcome.seq
  const code = outcome?.rejected ?? 'expired'
  const { text, retryAfterMs } = appendRejections[code]
  return new RejectionError(code, text, retryAfterMs)
}
