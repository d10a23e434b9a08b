import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { StartError } from '../../base/start-error.ts'
import { listenOnSocket } from './socket-file.ts'

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'chat-room-socket-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function createTestServer(): Server {
  const server = createServer((_request, response) => response.end())
  onTestFinished(() => void server.close())
  return server
}

test('MODERATION-24 only its owner can use the socket, and the file is removed when the server closes', async () => {
  const path = join(createFolder(), 'admin.sock')
  const umask = process.umask(0)
  onTestFinished(() => void process.umask(umask))
  const server = createTestServer()
  const listening = listenOnSocket(server, path)
  await expect.poll(() => existsSync(path)).toBe(true)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  await listening
  expect(process.umask()).toBe(0)
  server.close()
  await once(server, 'close')
  expect(existsSync(path)).toBe(false)
})

test('MODERATION-24 the socket of a killed server is replaced; that of a running one, or another file, is not', async () => {
  const path = join(createFolder(), 'admin.sock')
  const script = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`
  spawnSync(process.execPath, ['-e', script])
  expect(statSync(path).isSocket()).toBe(true)
  await listenOnSocket(createTestServer(), path)
  await expect(listenOnSocket(createTestServer(), path)).rejects.toThrow(`another server listens on ${path}`)
  const file = join(createFolder(), 'admin.sock')
  writeFileSync(file, 'kept')
  await expect(listenOnSocket(createTestServer(), file)).rejects.toThrow('is not a socket')
  expect(existsSync(file)).toBe(true)
})

test('MODERATION-24 a path that is too long or has no folder is rejected with one clear line', async () => {
  const long = join(createFolder(), 'x'.repeat(100))
  await expect(listenOnSocket(createTestServer(), long)).rejects.toThrow(/ADMIN_SOCKET: .* longer than \d+ bytes/)
  const missing = join(createFolder(), 'missing', 'admin.sock')
  await expect(listenOnSocket(createTestServer(), missing)).rejects.toThrow(
    /ADMIN_SOCKET: cannot listen on .*(EACCES|ENOENT)/,
  )
})

test('START-1 a path that cannot be checked is rejected with a line that names the setting', async () => {
  const loop = join(createFolder(), 'loop')
  symlinkSync(loop, loop)
  const path = join(loop, 'admin.sock')
  await expect(listenOnSocket(createTestServer(), path)).rejects.toThrow(
    new StartError(
      `ADMIN_SOCKET: cannot listen on ${path} (ELOOP); set a path in a folder that this user can write to`,
    ),
  )
})
