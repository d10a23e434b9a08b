import { events, moderationEvents } from '../../../contract/events.ts'
import type { SendAck } from '../../../contract/messages.ts'
import { type ModerationAck, moderationRejectionCodes } from '../../../contract/moderation.ts'
import { type Rejection, type RejectionCode, sendRejectionCodes } from '../../../contract/rejections.ts'
import type { Report } from '../../observe/events.ts'
import type { RejectionReason } from '../../observe/reasons.ts'
import { serverErrorText } from '../../base/common-rejections.ts'
import { RejectionError } from '../../base/rejection-error.ts'

export type Acknowledge = (ack: SendAck | ModerationAck) => void

const eventRejectionCodes = [...sendRejectionCodes, ...moderationRejectionCodes]
type EventRejection = Rejection<(typeof eventRejectionCodes)[number]>

/**
 * Handler of an event. It gets the arguments without the ack callback, and calls `acknowledge` at most once. A handler
 * that throws or rejects must not have called `acknowledge`.
 */
export type EventHandler<Context> = (
  context: Context,
  args: unknown[],
  acknowledge: Acknowledge,
) => void | Promise<void>

/**
 * Creates the function that handles every event of every socket. It rejects events without a handler. An error that a
 * handler or `checkBefore` throws, or with which a handler rejects, becomes a rejection. An unexpected error is also
 * reported. Without an ack callback, the result is dropped.
 */
export function createListener<Context>(
  handlers: Readonly<Record<string, EventHandler<Context>>>,
  report: Report,
  checkBefore: (context: Context) => void,
) {
  return (context: Context, event: string, args: unknown[]): void => {
    const ack = takeAck(args)
    const acknowledge: Acknowledge = (result) => {
      if (!result.ok) report({ type: 'request-rejected', reason: reasonOf(event, result.code) })
      ack(result)
    }
    const reject = (error: unknown) => acknowledge({ ok: false, ...rejectionOf(error, report, event) })
    try {
      checkBefore(context)
      if (!Object.hasOwn(handlers, event)) throw new RejectionError('invalid', 'There is no such event.')
      handlers[event]?.(context, args, acknowledge)?.catch(reject)
    } catch (error) {
      reject(error)
    }
  }
}

/** Returns the label under which the rejection of an event is counted. */
function reasonOf(event: string, code: RejectionCode): RejectionReason {
  if (event === moderationEvents.moderate) return 'moderate'
  const sendCode = event === events.sendMessage ? sendRejectionCodes.find((known) => known === code) : undefined
  return sendCode === undefined ? 'event_other' : `send_${sendCode}`
}

function takeAck(args: unknown[]): Acknowledge {
  const last = args.at(-1)
  if (typeof last !== 'function') return () => undefined
  args.pop()
  return last as Acknowledge
}

function rejectionOf(error: unknown, report: Report, event: string): EventRejection {
  if (error instanceof RejectionError && error.isOneOf(eventRejectionCodes)) return error.toRejection()
  report({ type: 'handler-failed', handler: event, error })
  return { code: 'unavailable', message: serverErrorText, retryAfterMs: 1_000 }
}
