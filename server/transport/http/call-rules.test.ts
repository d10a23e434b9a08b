import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { accountPath, type CallPath, routes } from '../../../contract/routes.ts'
import { overloaded } from '../../base/common-rejections.ts'
import { RejectionError } from '../../base/rejection-error.ts'
import { StorageError } from '../../base/storage-error.ts'
import { collectEvents } from '../../observe/events.suite.ts'
import { applyCallRules } from './call-rules.ts'
import { createHttpServer } from './http-server.ts'

const storageFails = async () => Promise.reject(new StorageError('away'))
const calls = [
  ['POST', routes.register],
  ['POST', routes.login],
  ['DELETE', routes.login],
  ['GET', routes.users],
  ['DELETE', accountPath],
] as const

/** Creates an HTTP server with the rules of the calls and without the calls. */
async function openScope(level: 'none' | 'shed-logins') {
  const { report, types } = collectEvents()
  const app = await createHttpServer({
    log: pino({ level: 'silent' }),
    report,
    isSecure: () => false,
    measure: (_request, work) => work(),
  })
  onTestFinished(() => app.close())
  applyCallRules(app, () => true, { level: () => level })
  return { app, types }
}

/** Creates a server with a route for every call. All these routes run `handler`. */
async function openCalls(level: 'none' | 'shed-logins', handler: () => Promise<object> = storageFails) {
  const { app, types } = await openScope(level)
  for (const [method, url] of calls) app.route({ method, url, handler })
  const request = (method: (typeof calls)[number][0], url: CallPath) => app.inject({ method, url })
  const call = async (...route: Parameters<typeof request>) =>
    (await request(...route)).json<{ message: string }>().message
  return { request, call, eventTypes: types }
}

const failed = 'Accounts are not available at the moment. Please try again later.'
const { message: shed } = overloaded()

test('SECURITY-7 under load, the server rejects the calls that need a password hash, and serves the others', async () => {
  const { call } = await openCalls('shed-logins')
  expect(await call('POST', routes.register)).toBe(shed)
  expect(await call('POST', routes.login)).toBe(shed)
  expect(await call('DELETE', accountPath)).toBe(shed)
  expect(await call('DELETE', routes.login)).toBe(failed)
  expect(await call('GET', routes.users)).toBe(failed)
})

test('STORAGE-4 a call whose storage fails gets the text of the call, and the event is reported', async () => {
  const { call, eventTypes } = await openCalls('none')
  for (const [method, path] of calls) expect(await call(method, path)).toBe(failed)
  expect(eventTypes()).toStrictEqual(calls.map(() => 'account-request-failed'))
})

test('API-1 a rejection with a code that calls do not have is an unexpected error', async () => {
  const { request, eventTypes } = await openCalls('none', async () =>
    Promise.reject(new RejectionError('too_long', 'x')),
  )
  const response = await request('POST', routes.login)
  expect([response.statusCode, response.json<{ code: string }>().code]).toStrictEqual([500, 'internal'])
  expect(eventTypes()).toStrictEqual(['handler-failed'])
})

test('EDGE-15 caches do not store the response of a call', async () => {
  const { request } = await openCalls('none', async () => Promise.resolve({}))
  for (const [method, path] of calls) {
    if (method !== 'DELETE')
      expect((await request(method, path)).headers).toMatchObject({ 'cache-control': 'no-store' })
  }
})

test('SECURITY-7 every call has a rule, and a route whose path or method has none is not added', async () => {
  const { app } = await openScope('none')
  const add = (method: string, url: string) => () => app.route({ method, url, handler: storageFails })
  for (const [method, url] of calls) expect(add(method, url)).not.toThrow()
  expect(add('PUT', routes.login)).toThrow('no rule for PUT /login')
  expect(add('GET', routes.register)).toThrow('no rule for GET /register')
  expect(add('GET', '/other')).toThrow('no rule for GET /other')
  const nested = app.register(async (scope) => {
    scope.get('/nested', storageFails)
  })
  await expect(nested).rejects.toThrow('no rule for GET /nested')
})
