/** Paths of the pages. `/register`, `/login` and `/fetchusers` are also paths of HTTP calls. */
export const routes = {
  room: '/',
  register: '/register',
  login: '/login',
  users: '/fetchusers',
} as const

export type Route = (typeof routes)[keyof typeof routes]

/** Path of the prerendered page that the server sends for unknown paths. */
export const notFoundPath = '/404'

/** Returns the path of the built file of a page. The build writes the file and the server sends it. */
export const pageFile = (path: Route | typeof notFoundPath) => (path === routes.room ? '/index.html' : `${path}.html`)

/** Path of the call with which users delete their account. The page has no form for it. */
export const accountPath = '/account'

export const callPaths = [routes.register, routes.login, routes.users, accountPath] as const
export type CallPath = (typeof callPaths)[number]

export const probes = {
  live: '/healthz',
  ready: '/readyz',
} as const

export const apiDescriptionPath = '/openapi.json'
export const socketPath = '/socket.io/'
export const metricsPath = '/metrics'
export const metricsHost = '127.0.0.1'
