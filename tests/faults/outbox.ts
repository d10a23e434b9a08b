import { randomUUID } from 'node:crypto'
import type { ChatMessage, Cursor } from '../../contract/messages.ts'
import { maxMessageCharacters } from '../../contract/limits.ts'
import { messageKey } from './history.ts'
import type { Random } from './random.ts'

/** A message from the moment it was made: everything in it stays as it is over all attempts. */
export interface Outgoing {
  key: string
  id: string
  payload: ChatMessage
  attempts: number
  after?: Cursor
}

export type Outbox = ReturnType<typeof createOutbox>

interface OutboxOptions {
  name: string
  random: Random
  perSecond: number
  /** Called once for each message; the client repeats it as it sees fit, and calls `settle` in the end. */
  dispatch: (outgoing: Outgoing) => void
}

/** One message in flight at a time, at a steady pace: what a fault held up is caught up with afterwards. */
export function createOutbox({ name, random, perSecond, dispatch }: OutboxOptions) {
  const requested: { key: string; text: string }[] = []
  let count = 0
  let inFlight: Outgoing | null = null
  let sending = false
  let dueAt = 0
  let burstUntil = 0
  let timer: NodeJS.Timeout | undefined

  const bursting = () => performance.now() < burstUntil

  function filler(): string {
    if (bursting() || random.chance(0.01)) return 'x'.repeat(maxMessageCharacters - 32)
    return 'x'.repeat(random.whole(0, 120))
  }

  function put(key: string, text: string): void {
    inFlight = {
      key,
      id: randomUUID(),
      payload: { username: name, message: `${key} ${text}`, createdTime: Date.now() },
      attempts: 0,
    }
    dispatch(inFlight)
  }

  function next(): void {
    clearTimeout(timer)
    if (inFlight !== null) return
    const first = requested.shift()
    if (first !== undefined) return put(first.key, first.text)
    if (!sending || perSecond === 0) return
    const waitMs = bursting() ? 0 : Math.max(0, dueAt - performance.now())
    timer = setTimeout(() => {
      if (!sending || inFlight !== null) return
      if (!bursting()) dueAt += 1_000 / perSecond
      put(messageKey(name, ++count), filler())
    }, waitMs)
  }

  return {
    inFlight: () => inFlight,
    isIdle: () => inFlight === null && requested.length === 0,
    finish(outgoing: Outgoing): void {
      if (inFlight !== outgoing) return
      inFlight = null
      next()
    },
    start(): void {
      sending = true
      dueAt = performance.now() + random.whole(0, 1_000)
      next()
    },
    stop(): void {
      sending = false
    },
    /** For so long, long messages and no pause between them. */
    burst(forMs: number): void {
      burstUntil = performance.now() + forMs
      next()
    },
    /** One message more, whatever the pace; returns its key. */
    add(text: string): string {
      const key = messageKey(name, ++count)
      requested.push({ key, text })
      next()
      return key
    },
  }
}
