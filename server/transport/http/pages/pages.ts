import type { FastifyInstance, FastifyReply } from 'fastify'
import { routes } from '../../../../contract/routes.ts'
import { RejectionError } from '../../../base/rejection-error.ts'
import { StartError } from '../../../base/start-error.ts'
import type { BuiltPages } from './built-pages.ts'
import { addVary, sendStatic } from './send-static.ts'
import { loadStaticFiles, type StaticFile } from './static-files.ts'

type Route = (typeof routes)[keyof typeof routes]

const pageFiles: Record<Route, string> = {
  [routes.room]: '/index.html',
  [routes.register]: '/register.html',
  [routes.login]: '/login.html',
  [routes.users]: '/fetchusers.html',
}
const notFoundFile = '/404.html'
const assets = '/assets/'

const checkedEveryVisit = { cacheControl: 'no-cache' }
const keptForEver = { cacheControl: 'public, max-age=31536000, immutable' }
const keptForAnHour = { cacheControl: 'public, max-age=3600' }

export interface Pages {
  send: (reply: FastifyReply, route: Route) => FastifyReply
}

/** The built application: pages are checked for news at every visit, assets carry a hash in their name and are kept. */
export function servePages(app: FastifyInstance, built: BuiltPages): Pages {
  const files = loadStaticFiles(built)
  const fileAt = (name: string): StaticFile => {
    const file = files.get(name)
    if (file === undefined) throw new StartError(`The pages are not complete (no ${name}); run npm run build`)
    return file
  }
  const pages = new Map(Object.values(routes).map((route) => [route, fileAt(pageFiles[route])]))
  const sendPage = (reply: FastifyReply, route: Route) =>
    sendStatic(reply, pages.get(route) as StaticFile, checkedEveryVisit)

  for (const route of [routes.room, routes.register, routes.login]) {
    app.get(route, { schema: { hide: true } }, (_request, reply) => sendPage(reply, route))
  }
  app.get<{ Params: { '*': string } }>(`${assets}*`, { schema: { hide: true } }, (request, reply) => {
    const file = files.get(assets + request.params['*'])
    return file === undefined ? reply.callNotFound() : sendStatic(reply, file, keptForEver)
  })
  for (const [name, file] of files) {
    if (name.startsWith(assets) || name.endsWith('.html')) continue
    app.get(name, { schema: { hide: true } }, (_request, reply) => sendStatic(reply, file, keptForAnHour))
  }
  answerUnknownPaths(app, fileAt(notFoundFile))
  return { send: sendPage }
}

/** A page for those who came by a link, `{ code, message }` for programs; and a slash too many leads to the page. */
function answerUnknownPaths(app: FastifyInstance, notFoundPage: StaticFile): void {
  app.setNotFoundHandler((request, reply) => {
    const [path = '', query] = request.url.split('?', 2)
    const route = path.replace(/\/+$/, '')
    // Only to the known ones: '//other.host/' without its last slash would lead to another host.
    if (path !== route && Object.hasOwn(pageFiles, route)) {
      return reply.redirect(query === undefined ? route : `${route}?${query}`, 308)
    }
    addVary(reply, 'Accept')
    const isNavigation = request.method === 'GET' || request.method === 'HEAD'
    if (!isNavigation || request.headers.accept?.includes('text/html') !== true) {
      throw new RejectionError('not_found', 'There is nothing here.')
    }
    return sendStatic(reply, notFoundPage, { cacheControl: 'no-store', status: 404 })
  })
}
