import fastify, { type FastifyInstance, type RouteOptions } from 'fastify'
import { apiDescriptionPath } from '../../../contract/routes.ts'
import { readVersion } from '../../base/version.ts'
import { schemaController } from './schema-compilers.ts'

type CallDescribed = Pick<RouteOptions, 'method' | 'url' | 'schema'>

const info = { title: 'Chat Room', version: readVersion(), description: 'The calls of the chat room.' }

/** Describes whatever is added from here on. What it takes is loaded for the first who asks, not at every start. */
export function serveApiDescription(app: FastifyInstance): void {
  const calls: CallDescribed[] = []
  let description: Promise<object> | null = null
  app.addHook('onRoute', ({ method, url, schema }) => {
    // Fastify adds one of its own beside every GET.
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

/** By an instance that never listens: @fastify/swagger sees only the routes that are added after it. */
async function describe(calls: readonly CallDescribed[]): Promise<object> {
  const { default: swagger } = await import('@fastify/swagger')
  const app = fastify({ schemaController })
  await app.register(swagger, { openapi: { info } })
  for (const call of calls) app.route({ ...call, handler: () => undefined })
  await app.ready()
  return app.swagger()
}
