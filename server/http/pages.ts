import { readdirSync } from 'node:fs'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { routes } from '../../contract/routes.ts'
import type { BuiltPages } from './built-pages.ts'

type Route = (typeof routes)[keyof typeof routes]

const pageFiles: Record<Route, string> = {
  [routes.room]: 'index.html',
  [routes.register]: 'register.html',
  [routes.login]: 'login.html',
  [routes.users]: 'fetchusers.html',
}

const compressedCopy = /\.(br|gz)$/

export interface Pages {
  send: (reply: FastifyReply, route: Route) => FastifyReply
}

/** The built application: pages are checked for news at every visit, assets carry a hash in their name and are kept. */
export async function servePages(app: FastifyInstance, { root, earlier }: BuiltPages): Promise<Pages> {
  const roots = [root, ...earlier]
  await app.register(fastifyStatic, { root: roots, serve: false, preCompressed: true, cacheControl: false })

  const sendFile = (reply: FastifyReply, file: string, cacheControl: string) =>
    reply.header('Cache-Control', cacheControl).sendFile(file)
  const sendPage = (reply: FastifyReply, route: Route) => sendFile(reply, pageFiles[route], 'no-cache')

  for (const route of [routes.room, routes.register, routes.login]) {
    app.get(route, (_request, reply) => sendPage(reply, route))
  }
  app.get<{ Params: { '*': string } }>('/assets/*', (request, reply) =>
    sendFile(reply, `assets/${request.params['*']}`, 'public, max-age=31536000, immutable'),
  )
  for (const file of publicFiles(root)) {
    app.get(`/${file}`, (_request, reply) => sendFile(reply, file, 'public, max-age=3600'))
  }
  return { send: sendPage }
}

/** Icons and the manifest: what lies beside the pages and is none. */
function publicFiles(root: string): string[] {
  return readdirSync(root, { withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() &&
        !entry.name.startsWith('.') &&
        !entry.name.endsWith('.html') &&
        !compressedCopy.test(entry.name),
    )
    .map((entry) => entry.name)
}
