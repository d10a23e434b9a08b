import type { SendRefusalCode } from '../../contract/refusals.ts'
import { RefusalError } from '../refusal-error.ts'
import { createFlushScheduler } from './flush-scheduler.ts'
import type { AppendOutcome, LogEntry, MessageLog, StoredMessage } from './message-log.ts'

const maxPending = 10_000
const storageRetryMs = 1_000

/** Whoever hears what was stored. */
interface Publisher {
  publish: (messages: readonly StoredMessage[]) => void
}

interface Pending {
  entry: LogEntry
  settle: (result: number | RefusalError<SendRefusalCode>) => void
}

export interface RoomHooks {
  /** All of a flush has been answered, and nothing of it broadcast yet. */
  onSettled?: () => void
  onFlushed?: (messages: number, durationMs: number) => void
  onStorageFailed?: (error: unknown) => void
  onStorageRecovered?: () => void
  /** Tests end the process here, to see what a crash at this very point does. */
  faultPoint?: (point: 'after-commit-before-ack' | 'after-commit-before-broadcast', messages: LogEntry[]) => void
}

/** Accepted messages on their way: gathered, stored in one transaction, acknowledged, broadcast in the log's order. */
export function createRoom(log: MessageLog, audience: Publisher, hooks: RoomHooks = {}) {
  let pending: Pending[] = []
  let storageFailed = false
  let flushed: Promise<number> = Promise.resolve(0)
  let checking: Promise<boolean> | null = null
  const beat = createFlushScheduler(() => (flushed = flush()))

  /** Resolves to how long it held the event loop. */
  async function flush(): Promise<number> {
    const batch = pending
    if (batch.length === 0) return 0
    pending = []
    const startedAt = performance.now()
    const entries = batch.map(({ entry }) => entry)
    let outcomes: AppendOutcome[]
    try {
      outcomes = await log.append(entries)
    } catch (error) {
      noteStorage(error)
      const refusal = new RefusalError<SendRefusalCode>(
        'unavailable',
        'The message could not be stored just now.',
        storageRetryMs,
      )
      for (const { settle } of batch) settle(refusal)
      hooks.onSettled?.()
      return 0
    }
    const storedAt = performance.now()
    noteStorage(null)
    hooks.faultPoint?.('after-commit-before-ack', entries)
    for (const [index, { settle }] of batch.entries()) settle(settlement(outcomes[index]))
    hooks.onSettled?.()
    hooks.faultPoint?.('after-commit-before-broadcast', entries)
    audience.publish(freshMessages(entries, outcomes))
    const endedAt = performance.now()
    hooks.onFlushed?.(batch.length, endedAt - startedAt)
    return endedAt - storedAt
  }

  function noteStorage(error: unknown): void {
    if (error !== null && !storageFailed) hooks.onStorageFailed?.(error)
    if (error === null && storageFailed) hooks.onStorageRecovered?.()
    storageFailed = error !== null
  }

  async function checkStorage(): Promise<boolean> {
    try {
      await log.checkWritable()
      noteStorage(null)
      return true
    } catch (error) {
      noteStorage(error)
      return false
    }
  }

  return {
    /** Calls `settle` once: with the seq when the message is stored, with the reason when it is not. */
    post(entry: LogEntry, settle: Pending['settle']): void {
      if (pending.length >= maxPending) {
        settle(new RefusalError('unavailable', 'The room is too busy just now.', storageRetryMs))
        return
      }
      pending.push({ entry, settle })
      beat.request()
    },

    /** Each check writes to the disk: those who ask at the same time share one. */
    isWritable(): Promise<boolean> {
      checking ??= checkStorage().finally(() => (checking = null))
      return checking
    },

    /** Stores and settles what is still waiting. */
    async close(): Promise<void> {
      beat.stop()
      await flushed
      await flush()
    },
  }
}

export type Room = ReturnType<typeof createRoom>

function settlement(outcome: AppendOutcome | undefined): number | RefusalError<SendRefusalCode> {
  if (outcome !== undefined && 'seq' in outcome) return outcome.seq
  return outcome?.refused === 'id_conflict'
    ? new RefusalError('id_conflict', 'Another message was sent under the same id.')
    : new RefusalError('expired', 'Too much has happened since this message was first sent. Please send it again.')
}

function freshMessages(entries: LogEntry[], outcomes: AppendOutcome[]): StoredMessage[] {
  const fresh: StoredMessage[] = []
  for (const [index, outcome] of outcomes.entries()) {
    const entry = entries[index]
    if (entry !== undefined && 'seq' in outcome && !outcome.repeated) {
      fresh.push({ seq: outcome.seq, message: entry.message })
    }
  }
  return fresh
}
