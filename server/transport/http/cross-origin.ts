import type { FastifyInstance, FastifyRequest } from 'fastify'
import { otherOrigin } from '../../base/common-rejections.ts'
import type { OriginCheck } from './origins.ts'

const preflightSeconds = 600

/**
 * Allows the calls of this scope for allowed origins and rejects calls with another `Origin`. CORS headers alone would
 * only prevent the page from reading the response.
 */
export function allowOrigins(
  scope: FastifyInstance,
  isAllowedOrigin: OriginCheck,
  calls: readonly { path: string; methods: readonly string[] }[],
): void {
  scope.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers
    reply.header('Vary', 'Accept, Authorization, Origin')
    if (origin === undefined || isPageRequest(request)) return
    if (!isAllowedOrigin(request)) throw otherOrigin()
    reply.header('Access-Control-Allow-Origin', origin).header('Access-Control-Expose-Headers', 'Retry-After')
  })
  for (const { path, methods } of calls) {
    scope.options(path, { schema: { hide: true } }, async (_request, reply) =>
      reply
        .header('Access-Control-Allow-Methods', methods.join(', '))
        .header('Access-Control-Allow-Headers', 'Authorization, Content-Type')
        .header('Access-Control-Max-Age', preflightSeconds)
        .code(204)
        .send(),
    )
  }
}

/**
 * Returns whether a request is a navigation: it accepts HTML and has no Authorization header. A page and a call can share a
 * path.
 */
export function isPageRequest({ method, headers: { authorization, accept = '' } }: FastifyRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && authorization === undefined && accept.includes('text/html')
}
