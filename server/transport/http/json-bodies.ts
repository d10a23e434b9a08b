import type { FastifyInstance } from 'fastify'
import { isNestedTooDeeply } from '../../base/json-depth.ts'
import { RejectionError } from '../../base/rejection-error.ts'

/** Parses JSON bodies with Fastify's parser, unless they are nested too deeply. */
export function parseJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (isNestedTooDeeply(body)) done(new RejectionError('invalid', 'The JSON is nested too deeply.'))
    else void parse(request, body, done)
  })
}
