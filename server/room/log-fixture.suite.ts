import { afterEach, beforeEach, expect } from 'vitest'
import type { ChatMessage } from '../../contract/messages.ts'
import type { AppendOutcome, LogEntry, MessageLog, MessageSender, PageLimits, Retention } from './message-log.ts'

/** Storage of one log. A test can reopen the log and make its storage unavailable. */
export interface LogFixture {
  open(retention: Retention): Promise<MessageLog>
  /** Makes storage unavailable. The returned function makes it available again. */
  blockStorage(): () => void
  remove(): void
}

export const keepAll: Retention = { maxAgeMs: 3_600_000, maxMessages: 100_000 }
export const largePage: PageLimits = { maxMessages: 10_000, maxCharacters: 10_000_000 }

export const anonymousSender = { accountId: null, network: '192.0.2.1' } satisfies MessageSender

export function entry(message: string, more: Partial<Omit<LogEntry, 'message'>> = {}): LogEntry {
  // Fill every field, so that the tests detect a log that drops a field.
  const filled: Required<ChatMessage> = { username: 'alice', message, createdTime: 1_700_000_000_000 }
  return { message: filled, sender: anonymousSender, id: null, after: null, ...more }
}

/** Appends the entries and resolves to their outcomes. */
export async function append(log: MessageLog, entries: readonly LogEntry[]): Promise<readonly AppendOutcome[]> {
  const { promise, resolve } = Promise.withResolvers<readonly AppendOutcome[]>()
  await log.append(entries, resolve)
  return promise
}

export const entries = (count: number) => Array.from({ length: count }, (_, index) => entry(`message ${index}`))
export const added = (seq: number) => ({ seq, repeated: false })
export const repeated = (seq: number) => ({ seq, repeated: true })

/** Opens a log before each test and closes it afterwards. Passes it to `onOpened`, also after `reopen`. */
export function useLog(createFixture: () => LogFixture, onOpened: (log: MessageLog) => void) {
  let fixture: LogFixture
  let log: MessageLog
  async function open(retention: Retention): Promise<void> {
    log = await fixture.open(retention)
    onOpened(log)
  }
  beforeEach(async () => {
    fixture = createFixture()
    await open(keepAll)
  })
  afterEach(async () => {
    await log.close()
    fixture.remove()
  })

  async function reopen(retention = keepAll): Promise<void> {
    await log.close()
    await open(retention)
  }
  const at = (seq: number) => ({ epoch: log.bounds().epoch, seq })
  const texts = async (afterSeq: number, page = largePage) =>
    (await log.readAfter(at(afterSeq), page))?.map(({ message }) => message.message) ?? null
  return {
    at,
    texts,
    /** Expects this head. Polls, because a shared log updates its bounds a moment after the append. */
    expectHead: (head: number) => expect.poll(() => log.bounds().head).toBe(head),
    expectTrimmedPast: (seq: number) => expect.poll(() => texts(seq), { timeout: 10_000 }).toBeNull(),
    blockStorage: () => fixture.blockStorage(),
    reopen,
  }
}
