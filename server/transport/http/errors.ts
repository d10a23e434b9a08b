import type { FastifyError, FastifyInstance, FastifyReply } from 'fastify'
import { type CallRejection, type CallRejectionCode, callRejectionCodes } from '../../../contract/rejections.ts'
import type { Report } from '../../observe/events.ts'
import { serverErrorText } from '../../base/common-rejections.ts'
import { RejectionError } from '../../base/rejection-error.ts'
import { StorageError } from '../../base/storage-error.ts'
import { ruleOf } from './call-rules.ts'

const storageRetryMs = 1_000

export const statusOf: Readonly<Record<CallRejectionCode, number>> = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  name_taken: 409,
  email_taken: 409,
  too_large: 413,
  rate_limited: 429,
  unavailable: 503,
  internal: 500,
}

/** Sends every error as `{ code, message }`. Unexpected errors are reported, and the client gets a general message. */
export function sendErrors(app: FastifyInstance, report: Report): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const storageFailure = error instanceof StorageError ? ruleOf(request)?.storageFailure : undefined
    if (storageFailure !== undefined) {
      report({ type: storageFailure.event, error })
      reply.header('Retry-After', retryAfterSeconds(storageRetryMs))
      return send(reply, { code: 'unavailable', message: storageFailure.text })
    }
    const rejection = rejectionOf(error)
    if (rejection.code === 'internal') report({ type: 'handler-failed', handler: 'http request', error })
    if (error instanceof RejectionError && error.retryAfterMs !== undefined) {
      reply.header('Retry-After', retryAfterSeconds(error.retryAfterMs))
    }
    return send(reply, rejection)
  })
}

export function retryAfterSeconds(retryAfterMs: number): number {
  return Math.ceil(retryAfterMs / 1_000)
}

/** Sends a rejection with `no-store`: a cache could keep a 404 that occurred during a deployment. */
function send(reply: FastifyReply, rejection: CallRejection): FastifyReply {
  return reply.header('Cache-Control', 'no-store').code(statusOf[rejection.code]).send(rejection)
}

function rejectionOf(error: FastifyError): CallRejection {
  if (error instanceof RejectionError && error.isOneOf(callRejectionCodes))
    return { code: error.code, message: error.message }
  if (error.validation !== undefined) return { code: 'invalid', message: describeValidation(error) }
  if (error.statusCode === 413) return { code: 'too_large', message: 'The request is too large.' }
  if (error.statusCode !== undefined && error.statusCode < 500) return { code: 'invalid', message: error.message }
  return { code: 'internal', message: serverErrorText }
}

function missingField(params: Record<string, unknown> | undefined): string {
  const fields = params?.['requiredProperties']
  const first: unknown = Array.isArray(fields) ? fields[0] : undefined
  return typeof first === 'string' ? first : ''
}

/** Returns a message with the field's name, never its value, which may be a password. */
function describeValidation({ validation }: FastifyError): string {
  const [problem] = validation ?? []
  const field = problem?.instancePath.slice(1) || missingField(problem?.params)
  if (field === '') return 'The request must be a JSON object.'
  return problem?.keyword === 'required' ? `The field ${field} is missing.` : `The field ${field} is not valid.`
}
