import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type IncomingMessage, request as openRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { readSettings } from '../../config/settings.ts'
import { ignoreEvents } from '../../observe/events.suite.ts'
import type { ModuleContext } from '../../observe/module-context.ts'
import type { AdminContext } from './command.ts'
import { openAdmin } from './open-admin.ts'

/** Opens the socket of the command line. Returns a function that sends a body and returns the response. */
async function openSocket() {
  const folder = mkdtempSync(join(tmpdir(), 'chat-room-admin-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const resources = new AsyncDisposableStack()
  onTestFinished(() => resources.disposeAsync())
  const socketPath = join(folder, 'admin.sock')
  const settings = readSettings({ ADMIN_SOCKET: socketPath })
  await openAdmin({ settings, report: ignoreEvents, resources } as unknown as ModuleContext, {} as AdminContext)
  return async (body: string) => {
    const request = openRequest({ socketPath, method: 'POST', path: '/' }).end(body)
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    return json(response)
  }
}

test('MODERATION-25 arguments of any length, and a body that is not a request, get a response', async () => {
  const send = await openSocket()
  const long = JSON.stringify({ argv: ['stats', 'x'.repeat(4_000_000)], input: null })
  expect(await send(long)).toMatchObject({ ok: false, message: expect.stringContaining('one argument too many') })
  expect(await send('{')).toStrictEqual({ ok: false, code: 'invalid', message: 'the request is not JSON' })
  expect(await send('{}')).toStrictEqual({ ok: false, code: 'invalid', message: 'the request is malformed' })
})
