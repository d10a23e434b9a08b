import type { FastifyInstance } from 'fastify'
import { isNestedTooDeeply } from '../../base/json-depth.ts'
import { RejectionError } from '../../base/rejection-error.ts'
import type { RequestCost } from './protection/request-cost.ts'

/** Parses JSON bodies with Fastify's parser, unless they are nested too deeply. Charges the time to the client. */
export function parseJsonBodies(app: FastifyInstance, measure: RequestCost['measure']): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    // Fastify validates the body and calls the handler in `done`.
    measure(request.raw, () => {
      if (isNestedTooDeeply(body)) done(new RejectionError('invalid', 'The JSON is nested too deeply.'))
      else void parse(request, body, done)
    })
  })
}
