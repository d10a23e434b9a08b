import { pino } from 'pino'
import { expect, test } from 'vitest'
import { RegistrationResponse, RegistrationRequest } from '../../../contract/accounts.ts'
import { apiDescriptionPath, routes } from '../../../contract/routes.ts'
import { ignoreEvents } from '../../observe/events.suite.ts'
import { createHttpServer } from './http-server.ts'

const account = { _id: '1', name: 'bob', email: 'bob@example.org', token: 't' }

async function openServer() {
  const app = await createHttpServer({
    log: pino({ level: 'silent' }),
    report: ignoreEvents,
    isSecure: () => false,
    measure: (_request, work) => work(),
  })
  app.post(
    routes.register,
    { schema: { body: RegistrationRequest, response: { 200: RegistrationResponse } } },
    async () => ({
      ...account,
      passwordHash: 'secret',
    }),
  )
  return app
}

test.each([
  [{}, 'The field name is missing.'],
  [{ name: 'bob', email: 'bob@example.org' }, 'The field password is missing.'],
  [{ name: 'bob', email: 'bob', password: 'x' }, 'The field email is not valid.'],
  [{ name: 1, email: 'bob@example.org', password: 'x' }, 'The field name is not valid.'],
  [[], 'The request must be a JSON object.'],
])('API-1 the rejection of a malformed request names the field: %j', async (payload, message) => {
  const app = await openServer()
  const response = await app.inject({ method: 'POST', url: routes.register, payload })
  expect(response.statusCode).toBe(400)
  expect(response.json()).toStrictEqual({ code: 'invalid', message })
})

test('API-1 a response has only the properties of its schema', async () => {
  const app = await openServer()
  const payload = { name: 'bob', email: 'bob@example.org', password: 'x', isAdmin: true }
  const response = await app.inject({ method: 'POST', url: routes.register, payload })
  expect(response.json()).toStrictEqual(account)
})

test('API-1 the OpenAPI description is served on every request', async () => {
  const app = await openServer()
  for (const _ of [1, 2]) {
    const { paths } = (await app.inject(apiDescriptionPath)).json<{ paths: Record<string, object> }>()
    expect(paths).toHaveProperty([routes.register, 'post', 'requestBody'])
    expect(paths).not.toHaveProperty([apiDescriptionPath])
  }
})
