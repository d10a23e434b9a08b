import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox'
import { LoginAnswer, LoginRequest, Registered, Registration, UserList } from '../../contract/accounts.ts'
import { CallRefusal } from '../../contract/refusals.ts'
import { routes } from '../../contract/routes.ts'
import type { Accounts } from '../accounts/accounts.ts'
import type { Pages } from './pages.ts'

interface AccountRouteDeps {
  accounts: Accounts
  pages: Pages
}

export const accountRoutes: FastifyPluginCallbackTypebox<AccountRouteDeps> = (app, { accounts, pages }, done) => {
  app.post(
    routes.register,
    { schema: { body: Registration, response: { 201: Registered, '4xx': CallRefusal, '5xx': CallRefusal } } },
    async (request, reply) => {
      const registered = await accounts.register(request.body)
      return reply.code(201).send(registered)
    },
  )

  app.post(
    routes.login,
    { schema: { body: LoginRequest, response: { 200: LoginAnswer, '4xx': CallRefusal, '5xx': CallRefusal } } },
    async (request) => accounts.logIn(request.body),
  )

  // The page and the call share this path. A navigation asks for HTML and carries no Authorization header.
  app.get(
    routes.users,
    { schema: { response: { 200: UserList, '4xx': CallRefusal, '5xx': CallRefusal } } },
    async (request, reply) => {
      reply.header('Vary', 'Accept, Authorization')
      const { authorization, accept = '' } = request.headers
      if (authorization === undefined && accept.includes('text/html')) return pages.send(reply, routes.users)
      reply.header('Cache-Control', 'no-store')
      return accounts.list(bearerToken(authorization))
    },
  )
  done()
}

function bearerToken(authorization: string | undefined): string | null {
  return /^Bearer ([^\s]+)$/i.exec(authorization ?? '')?.[1] ?? null
}
