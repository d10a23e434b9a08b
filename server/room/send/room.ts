import type { SendRejectionCode } from '../../../contract/rejections.ts'
import { RejectionError } from '../../base/rejection-error.ts'
import { createFlushScheduler } from './flush-scheduler.ts'
import { lateError, storageDeadlineMs } from '../../storage/sqlite/storage-thread.ts'
import { type AppendOutcome, freshMessages, type LogEntry, type MessageLog } from '../message-log.ts'
import { createSendQueue, type Queued } from './send-queue.ts'
import { createStorageHealth } from '../../observe/storage-health.ts'

const storageRetryMs = 1_000

export interface RoomHooks {
  /** Runs what answers a whole flush, before any of it is broadcast. */
  settleTogether?: (settleAll: () => void) => void
  onFlushed?: (flush: { storedMessages: number; storeMs: number }) => void
  /** Resolves when what was stored has been written to everybody; the next flush waits for it. */
  toldAll?: () => Promise<void>
  /** A batch was refused because it could not be stored, or not in time. */
  onStoreFailed?: () => void
  onStorageFailed?: (error: unknown) => void
  onStorageRecovered?: () => void
  /** Tests end the process here, to see what a crash at this very point does. */
  faultPoint?: (point: 'after-commit-before-ack' | 'after-commit-before-broadcast', messages: LogEntry[]) => void
}

/** Accepted messages on their way: gathered, stored in one transaction, acknowledged. What is stored, the log tells. */
export function createRoom(log: MessageLog, hooks: RoomHooks = {}) {
  const queue = createSendQueue()
  let flushed: Promise<number> = Promise.resolve(0)
  /** Resolves when the flush under way has been answered: before it has ended, when the disk hangs. */
  let answered: Promise<void> = Promise.resolve()
  /** A flush is overdue and was refused. Until it ends nobody knows whether it is stored, and nothing can follow it. */
  let overdue = false
  const health = createStorageHealth(() => log.check(), {
    onFailed: hooks.onStorageFailed,
    onRecovered: hooks.onStorageRecovered,
  })
  const scheduler = createFlushScheduler(() => (flushed = flush()))
  const settleTogether = hooks.settleTogether ?? ((settleAll) => settleAll())

  /** Resolves to how long it took to write what was stored. */
  async function flush(): Promise<number> {
    const batch = queue.takeBatch()
    if (batch.length === 0) return 0
    // The rest of a burst has the next window.
    if (!queue.isEmpty()) scheduler.request()
    const startedAt = performance.now()
    const entries = batch.map(({ entry }) => entry)
    const { promise, resolve: noteAnswered } = Promise.withResolvers<void>()
    answered = promise
    const timer = setTimeout(() => {
      overdue = true
      health.noteFailure(lateError('messages', storageDeadlineMs))
      refuse([...batch, ...queue.takeAll()])
      noteAnswered()
    }, storageDeadlineMs)
    let storedAt: number | null = null
    try {
      await log.append(entries, (outcomes) => {
        storedAt = performance.now()
        settleAll(batch, entries, outcomes)
        hooks.onFlushed?.({
          storedMessages: freshMessages(entries, outcomes).length,
          storeMs: storedAt - startedAt,
        })
      })
    } catch (error) {
      // It is stored and answered: what failed is a defect behind that, and no reason to answer again.
      if (storedAt !== null) throw error
      health.noteFailure(error)
      if (!overdue) refuse(batch)
      overdue = false
      return 0
    } finally {
      clearTimeout(timer)
      noteAnswered()
    }
    // What arrives meanwhile gathers, and leaves together: a large room is never behind by more than one flush.
    await hooks.toldAll?.()
    return storedAt === null ? 0 : performance.now() - storedAt
  }

  function settleAll(batch: readonly Queued[], entries: LogEntry[], outcomes: readonly AppendOutcome[]): void {
    health.noteSuccess()
    hooks.faultPoint?.('after-commit-before-ack', entries)
    // Refused, and stored after all: everybody sees it, and a sender that repeats it is told its seq.
    if (!overdue) {
      settleTogether(() => {
        for (const [index, { settle }] of batch.entries()) settle(settlement(outcomes[index]))
      })
    }
    overdue = false
    hooks.faultPoint?.('after-commit-before-broadcast', entries)
  }

  function refuse(batch: readonly Queued[]): void {
    hooks.onStoreFailed?.()
    const refusal = unavailable('The message could not be stored just now.')
    settleTogether(() => {
      for (const { settle } of batch) settle(refusal)
    })
  }

  return {
    /** Calls `settle` once: with the seq when the message is stored, with the reason when it is not. */
    post(entry: LogEntry, settle: Queued['settle']): void {
      if (overdue) settle(unavailable('Messages cannot be stored just now.'))
      else if (queue.add(entry, settle)) scheduler.request()
      else settle(unavailable('The room is too busy just now.'))
    },

    isWritable: () => health.isWell(),

    /** Stores and settles what is still waiting; what hangs has been refused, and is not waited for. */
    async close(): Promise<void> {
      scheduler.stop()
      await Promise.race([flushed, answered])
      while (!overdue && !queue.isEmpty()) {
        flushed = flush()
        await Promise.race([flushed, answered])
      }
      health.stop()
    },
  }
}

export type Room = ReturnType<typeof createRoom>

function unavailable(message: string): RejectionError<SendRejectionCode> {
  return new RejectionError('unavailable', message, storageRetryMs)
}

function settlement(outcome: AppendOutcome | undefined): number | RejectionError<SendRejectionCode> {
  if (outcome !== undefined && 'seq' in outcome) return outcome.seq
  return outcome?.refused === 'id_conflict'
    ? new RejectionError('id_conflict', 'Another message was sent under the same id.')
    : new RejectionError('expired', 'Too much has happened since this message was first sent. Please send it again.')
}
