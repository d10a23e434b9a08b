import type { FastifyInstance } from 'fastify'
import { RefusalError } from '../refusal-error.ts'
import type { OriginCheck } from './origins.ts'

const preflightSeconds = 600

/** Pages of allowed origins may make the calls of this scope; pages of others may not, whatever their browser thinks. */
export function allowOrigins(scope: FastifyInstance, isAllowedOrigin: OriginCheck, paths: readonly string[]): void {
  scope.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers
    reply.header('Vary', 'Accept, Authorization, Origin')
    if (origin === undefined) return
    if (isAllowedOrigin(request)) {
      reply.header('Access-Control-Allow-Origin', origin).header('Access-Control-Expose-Headers', 'Retry-After')
    } else if (request.method !== 'GET' && request.method !== 'HEAD') {
      throw new RefusalError('forbidden', 'This origin is not allowed.')
    }
  })
  for (const path of paths) {
    scope.options(path, { schema: { hide: true } }, async (_request, reply) =>
      reply
        .header('Access-Control-Allow-Methods', 'GET, POST, DELETE')
        .header('Access-Control-Allow-Headers', 'Authorization, Content-Type')
        .header('Access-Control-Max-Age', preflightSeconds)
        .code(204)
        .send(),
    )
  }
}
