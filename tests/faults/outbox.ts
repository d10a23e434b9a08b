import { randomUUID } from 'node:crypto'
import type { ChatMessage, Cursor } from '../../contract/messages.ts'
import { maxMessageCharacters } from '../../contract/limits.ts'
import { messageKey } from './history.ts'
import { textOf } from './restrictions.ts'
import type { Random } from './random.ts'

/** Message to send. Its content and its id are the same in all attempts. */
export interface Outgoing {
  key: string
  id: string
  payload: ChatMessage
  attempts: number
  /** Number of attempts that are neither acknowledged nor timed out. */
  unacknowledged: number
  after?: Cursor
}

export type Outbox = ReturnType<typeof createOutbox>

interface OutboxOptions {
  name: string
  random: Random
  perSecond: number
  /** Sends a message for the first time. The client repeats it if needed and calls `finish` at the end. */
  dispatch: (outgoing: Outgoing) => void
}

/**
 * Creates an outbox that sends messages at a constant rate, one in flight at a time. After a fault it catches up with
 * the rate.
 */
export function createOutbox({ name, random, perSecond, dispatch }: OutboxOptions) {
  const requested: { key: string; text: string }[] = []
  let count = 0
  let finishedCount = 0
  let inFlight: Outgoing | null = null
  let isSending = false
  let dueAt = 0
  let burstUntil = 0
  let timer: NodeJS.Timeout | undefined

  const isBursting = () => performance.now() < burstUntil

  function filler(): string {
    if (isBursting() || random.chance(0.01)) return 'x'.repeat(maxMessageCharacters - 64)
    return 'x'.repeat(random.whole(0, 120))
  }

  function startMessage(key: string, text: string): void {
    inFlight = {
      key,
      id: randomUUID(),
      payload: { username: name, message: `${key} ${text}`, createdTime: Date.now() },
      attempts: 0,
      unacknowledged: 0,
    }
    dispatch(inFlight)
  }

  function sendNext(): void {
    clearTimeout(timer)
    if (inFlight !== null) return
    const next = requested.shift()
    if (next !== undefined) return startMessage(next.key, next.text)
    if (!isSending || perSecond === 0) return
    const waitMs = isBursting() ? 0 : Math.max(0, dueAt - performance.now())
    timer = setTimeout(() => {
      if (!isSending || inFlight !== null) return
      if (!isBursting()) dueAt += 1_000 / perSecond
      startMessage(messageKey(name, ++count), textOf(filler(), count))
    }, waitMs)
  }

  return {
    inFlight: () => inFlight,
    isIdle: () => inFlight === null && requested.length === 0,
    finish(outgoing: Outgoing): void {
      if (inFlight !== outgoing) return
      inFlight = null
      finishedCount++
      sendNext()
    },
    /** Returns the number of messages that were acknowledged, finally rejected or abandoned. */
    finishedCount: () => finishedCount,
    start(): void {
      isSending = true
      dueAt = performance.now() + random.whole(0, 1_000)
      sendNext()
    },
    stop(): void {
      isSending = false
    },
    /** Sends long messages without a pause for the given time. */
    burst(forMs: number): void {
      burstUntil = performance.now() + forMs
      sendNext()
    },
    /** Adds one message outside of the rate and returns its key. */
    add(text: string): string {
      const key = messageKey(name, ++count)
      requested.push({ key, text })
      sendNext()
      return key
    },
  }
}
