import type { Socket } from 'socket.io'
import { events } from '../../contract/events.ts'
import type { Logger } from 'pino'
import { Refused } from '../refused.ts'

type Answer = (answer: unknown) => void

/** A handler gets the event's arguments without the acknowledgement, which it may call once, or never. */
export type EventHandler = (args: unknown[], answer: Answer) => void

const knownEvents: ReadonlySet<unknown> = new Set(Object.values(events))

/**
 * The one wrapper around every event: guards the acknowledgement, turns what a handler throws into a refusal,
 * and keeps anything unforeseen from reaching the process.
 */
export function listen(socket: Socket, event: string, log: Logger, handle: EventHandler): void {
  socket.on(event, (...args: unknown[]) => {
    const answer = takeAck(args)
    try {
      handle(args, answer)
    } catch (error) {
      answer({ ok: false, ...refusalOf(error, log, event) })
    }
  })
}

/** An event that nobody listens to is refused when it asks for an answer, and ignored when it does not. */
export function refuseUnknownEvents(socket: Socket): void {
  socket.onAny((event: unknown, ...args: unknown[]) => {
    if (!knownEvents.has(event)) takeAck(args)({ ok: false, code: 'invalid', message: 'There is no such event.' })
  })
}

function takeAck(args: unknown[]): Answer {
  const last = args.at(-1)
  if (typeof last !== 'function') return () => undefined
  args.pop()
  return last as Answer
}

function refusalOf(error: unknown, log: Logger, event: string) {
  if (error instanceof Refused) return error.toRefusal()
  log.error({ err: error, event }, 'an event failed')
  return new Refused('unavailable', 'Something went wrong on the server.', 1_000).toRefusal()
}
