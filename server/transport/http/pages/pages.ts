import type { FastifyInstance, FastifyReply } from 'fastify'
import { notFoundPath, pageFile, type Route, routes } from '../../../../contract/routes.ts'
import { RejectionError } from '../../../base/rejection-error.ts'
import { StartError } from '../../../base/start-error.ts'
import type { BuiltPages } from './built-pages.ts'
import { addVary, sendStatic } from './send-static.ts'
import { loadStaticFiles, type StaticFile } from './static-files.ts'

const assets = '/assets/'
const pageRoutes: ReadonlySet<string> = new Set(Object.values(routes))

const revalidate = { cacheControl: 'no-cache' }
const immutable = { cacheControl: 'public, max-age=31536000, immutable' }
const oneHour = { cacheControl: 'public, max-age=3600' }

export interface Pages {
  send: (reply: FastifyReply, route: Route) => FastifyReply
}

/**
 * Serves the built pages, which browsers revalidate at every visit, and assets, which are immutable: their names
 * contain a hash.
 */
export function servePages(app: FastifyInstance, built: BuiltPages): Pages {
  const files = loadStaticFiles(built)
  const fileAt = (name: string): StaticFile => {
    const file = files.get(name)
    if (file === undefined) throw new StartError(`The pages are not complete (no ${name}); run npm run build`)
    return file
  }
  const pages = new Map(Object.values(routes).map((route) => [route, fileAt(pageFile(route))]))
  const sendPage = (reply: FastifyReply, route: Route) => sendStatic(reply, pages.get(route) as StaticFile, revalidate)

  for (const route of Object.values(routes)) {
    // GET of this path is also a call. The handler of the call sends the page to browsers.
    if (route === routes.users) continue
    app.get(route, { schema: { hide: true } }, (_request, reply) => sendPage(reply, route))
  }
  app.get<{ Params: { '*': string } }>(`${assets}*`, { schema: { hide: true } }, (request, reply) => {
    const file = files.get(assets + request.params['*'])
    return file === undefined ? reply.callNotFound() : sendStatic(reply, file, immutable)
  })
  for (const [name, file] of files) {
    if (name.startsWith(assets) || name.endsWith('.html')) continue
    app.get(name, { schema: { hide: true } }, (_request, reply) => sendStatic(reply, file, oneHour))
  }
  serveUnknownPaths(app, fileAt(pageFile(notFoundPath)))
  return { send: sendPage }
}

/**
 * Responds to unknown paths with a 404 page for browsers and `{ code, message }` for other clients. Redirects the path of
 * a page with trailing slashes to the page.
 */
function serveUnknownPaths(app: FastifyInstance, notFoundPage: StaticFile): void {
  app.setNotFoundHandler((request, reply) => {
    const [path = '', query] = request.url.split('?', 2)
    const route = path.replace(/\/+$/, '')
    // Redirect only to known routes: '//other.host/' without its last slash would be another host.
    if (path !== route && pageRoutes.has(route)) {
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
