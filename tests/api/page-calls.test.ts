import { expect, test, vi } from 'vitest'
import * as calls from '../../web/accounts/calls.ts'
import { startServer } from '../support/start-server.ts'

const bob = { name: 'bob', email: 'bob@example.org', password: 'correct horse' }

type PageCall = Exclude<keyof typeof calls, 'call' | 'isCallFailure' | 'retryAtMs'>

test('API-5 the page sends its requests to its own origin, without a timeout', async () => {
  const server = await startServer()
  const called: [string, RequestInit][] = []
  const { fetch } = globalThis
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => {
    called.push([path, init])
    return fetch(new URL(path, server.url), init)
  })
  const leaving = new AbortController()
  let token = ''
  // TypeScript reports a call of the page that is missing here.
  const made: Readonly<Record<PageCall, () => Promise<void>>> = {
    async register() {
      ;({ token } = await calls.register(bob))
    },
    async logIn() {
      expect(await calls.logIn(bob)).toMatchObject({ stat: 'Success', name: 'bob' })
    },
    async fetchUsers() {
      expect(await calls.fetchUsers(token, leaving.signal)).toMatchObject([{ name: 'bob', email: bob.email }])
    },
  }
  for (const make of Object.values(made)) await make()
  vi.unstubAllGlobals()
  expect(called.map(([path]) => path)).toStrictEqual(['/register', '/login', '/fetchusers'])
  expect(called.map(([, { signal }]) => signal)).toStrictEqual([undefined, undefined, leaving.signal])
})

test('API-5 there is no logout', async () => {
  const server = await startServer()
  for (const method of ['GET', 'POST', 'DELETE']) {
    expect((await fetch(`${server.url}/logout`, { method })).status).toBe(404)
  }
})
