import fastify, { type FastifyInstance, type RouteOptions } from 'fastify'
import { apiDescriptionPath } from '../../../contract/routes.ts'
import { readVersion } from '../../base/version.ts'
import { schemaController } from './schema-compilers.ts'

type DescribedCall = Pick<RouteOptions, 'method' | 'url' | 'schema'>

const info = { title: 'Chat Room', version: readVersion(), description: 'The calls of the chat room.' }

/**
 * Serves an OpenAPI description of the routes that are added after this call, without hidden ones. Creates it on the
 * first request.
 */
export function serveApiDescription(app: FastifyInstance): void {
  const calls: DescribedCall[] = []
  let description: Promise<object> | null = null
  app.addHook('onRoute', ({ method, url, schema }) => {
    // Fastify adds a HEAD route for every GET route.
    if (method !== 'HEAD') calls.push({ method, url, ...(schema === undefined ? {} : { schema }) })
  })
  app.get(apiDescriptionPath, { schema: { hide: true } }, () => {
    description ??= describe(calls).catch((error: unknown) => {
      description = null
      throw error
    })
    return description
  })
}

/**
 * Returns the OpenAPI description of the calls. Uses a second Fastify instance, because @fastify/swagger describes only
 * routes that are added after it is registered.
 */
async function describe(calls: readonly DescribedCall[]): Promise<object> {
  const { default: swagger } = await import('@fastify/swagger')
  const app = fastify({ schemaController })
  await app.register(swagger, { openapi: { info } })
  for (const call of calls) app.route({ ...call, handler: () => undefined })
  await app.ready()
  return app.swagger()
}
