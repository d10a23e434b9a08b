import type { FastifyInstance } from 'fastify'
import { isTooComplex } from '../../base/json-size.ts'
import { RejectionError } from '../../base/rejection-error.ts'
import type { RequestCost } from './protection/request-cost.ts'

/** Parses JSON bodies with Fastify's parser, unless they are too complex. Charges the time to the client. */
export function parseJsonBodies(app: FastifyInstance, measure: RequestCost['measure']): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    // Fastify validates the body and calls the handler in `done`.
    measure(request.raw, () => {
      if (isTooComplex(body))
        done(new RejectionError('invalid', 'The JSON is nested too deeply or has too many values.'))
      else void parse(request, body, done)
    })
  })
}
