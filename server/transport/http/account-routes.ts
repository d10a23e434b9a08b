import { Readable } from 'node:stream'
import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import {
  DeletionRequest,
  LoginResponse,
  LoginRequest,
  RegistrationResponse,
  RegistrationRequest,
  UserList,
} from '../../../contract/accounts.ts'
import { CallRejection } from '../../../contract/rejections.ts'
import { accountPath, routes } from '../../../contract/routes.ts'
import type { Accounts } from '../../accounts/accounts.ts'
import type { ClientAddress } from './client-address.ts'
import { isPageRequest } from './cross-origin.ts'
import type { Pages } from './pages/pages.ts'

interface AccountRouteDeps {
  accounts: Accounts
  pages: Pages
  addressOf: ClientAddress['addressOf']
}

const failures = { '4xx': CallRejection, '5xx': CallRejection }

/** Adds the calls about accounts to a scope that has the rules of `applyCallRules`. */
export const accountRoutes: FastifyPluginCallbackTypebox<AccountRouteDeps> = (app, deps, done) => {
  const { accounts, pages, addressOf } = deps
  const addressFrom = (request: FastifyRequest) => addressOf(request.raw)

  app.post(
    routes.register,
    { schema: { body: RegistrationRequest, response: { 201: RegistrationResponse, ...failures } } },
    async (request, reply) => {
      const registered = await accounts.register(request.body, addressFrom(request))
      return reply.code(201).send(registered)
    },
  )

  app.post(
    routes.login,
    { schema: { body: LoginRequest, response: { 200: LoginResponse, ...failures } } },
    async (request) => accounts.logIn(request.body, addressFrom(request)),
  )

  app.delete(routes.login, { schema: { response: { 204: Type.Null(), ...failures } } }, async (request, reply) => {
    await accounts.logOut(bearerToken(request.headers.authorization), addressFrom(request))
    return reply.code(204).send(null)
  })

  app.delete(
    accountPath,
    { schema: { body: DeletionRequest, response: { 204: Type.Null(), ...failures } } },
    async (request, reply) => {
      await accounts.deleteOwn(bearerToken(request.headers.authorization), request.body, addressFrom(request))
      return reply.code(204).send(null)
    },
  )

  app.get(routes.users, { schema: { response: { 200: UserList, ...failures } } }, async (request, reply) => {
    if (isPageRequest(request)) return pages.send(reply, routes.users)
    const chunks = await accounts.listUsers(bearerToken(request.headers.authorization), addressFrom(request))
    // Send a stream, so that at most one chunk is buffered when the client does not read.
    const response: FastifyReply = reply
    return response.type('application/json; charset=utf-8').send(Readable.from(chunks, { objectMode: false }))
  })
  done()
}

function bearerToken(authorization: string | undefined): string | null {
  return /^Bearer ([^\s]+)$/i.exec(authorization ?? '')?.[1] ?? null
}
