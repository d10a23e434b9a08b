import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { accountPath, type CallPath, callPaths, routes } from '../../../contract/routes.ts'
import { overloaded } from '../../base/common-rejections.ts'
import { StorageError } from '../../base/storage-error.ts'
import { collectEvents } from '../../observe/events.suite.ts'
import { applyCallRules } from './call-rules.ts'
import { createHttpServer } from './http-server.ts'

const storageFails = async () => Promise.reject(new StorageError('away'))
const methods = ['GET', 'POST', 'DELETE'] as const

/** Opens all calls. */
async function openCalls(level: 'none' | 'shed-logins', handler: () => Promise<object> = storageFails) {
  const { report, types } = collectEvents()
  const app = await createHttpServer({
    log: pino({ level: 'silent' }),
    report,
    isSecure: () => false,
    measure: (_request, work) => work(),
  })
  onTestFinished(() => app.close())
  applyCallRules(app, () => true, { level: () => level })
  for (const url of callPaths) app.route({ method: [...methods], url, handler })
  const request = (method: (typeof methods)[number], url: CallPath) => app.inject({ method, url })
  const call = async (...route: Parameters<typeof request>) =>
    (await request(...route)).json<{ message: string }>().message
  return { request, call, eventTypes: types }
}

const failed = 'Accounts are not available at the moment.'
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
  for (const path of callPaths) expect(await call('POST', path)).toBe(failed)
  expect(eventTypes()).toStrictEqual(callPaths.map(() => 'account-request-failed'))
})

test('EDGE-15 the response of a call is not stored', async () => {
  const { request } = await openCalls('none', async () => Promise.resolve({}))
  for (const path of callPaths) {
    for (const method of ['GET', 'POST'] as const) {
      expect((await request(method, path)).headers).toMatchObject({ 'cache-control': 'no-store' })
    }
  }
})
