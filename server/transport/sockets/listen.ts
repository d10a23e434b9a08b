import type { Logger } from 'pino'
import type { SendAck } from '../../../contract/messages.ts'
import { type Rejection, type SendRejectionCode, sendRejectionCodes } from '../../../contract/rejections.ts'
import { RejectionError } from '../../base/rejection-error.ts'

type Answer = (answer: SendAck) => void

/** A handler gets the event's arguments without the acknowledgement, which it may call once, or never. */
export type EventHandler<Context> = (context: Context, args: unknown[], answer: Answer) => void

/**
 * The one wrapper around every event of every socket: guards the acknowledgement, refuses what has no handler, turns
 * what a handler throws into a refusal, and keeps anything unforeseen from reaching the process.
 */
export function createListener<Context>(
  handlers: Readonly<Record<string, EventHandler<Context>>>,
  log: Logger,
  onRefused: (code: SendRejectionCode) => void,
) {
  return (context: Context, event: string, args: unknown[]): void => {
    const ack = takeAck(args)
    const answer: Answer = (result) => {
      if (!result.ok) onRefused(result.code)
      ack(result)
    }
    try {
      if (!Object.hasOwn(handlers, event)) throw new RejectionError('invalid', 'There is no such event.')
      handlers[event]?.(context, args, answer)
    } catch (error) {
      answer({ ok: false, ...refusalOf(error, log, event) })
    }
  }
}

function takeAck(args: unknown[]): Answer {
  const last = args.at(-1)
  if (typeof last !== 'function') return () => undefined
  args.pop()
  return last as Answer
}

function refusalOf(error: unknown, log: Logger, event: string): Rejection<SendRejectionCode> {
  if (error instanceof RejectionError && error.isOneOf(sendRejectionCodes)) return error.toRejection()
  log.error({ err: error, event }, 'an event failed because of a defect')
  return new RejectionError<SendRejectionCode>(
    'unavailable',
    'Something went wrong on the server.',
    1_000,
  ).toRejection()
}
