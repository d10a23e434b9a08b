import { io } from 'socket.io-client'
import { createHash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { events } from '../../contract/events.ts'
import { dataFiles } from '../../server/storage/sqlite/data-folder.ts'
import { waitForConnect, nextEvent } from '../support/socket-events.ts'
import { spawnServer, temporaryFolder } from '../support/spawn-server.ts'

const password = 'the very secret password'
const bob = { name: 'bob', email: 'bob@example.org', password }

test('SECURITY-2 no token, password or hash is logged, even at level trace', async () => {
  const dataDir = temporaryFolder()
  const server = spawnServer({ env: { DATA_DIR: dataDir, LOG_LEVEL: 'trace' } })
  const url = await server.opened()
  const post = (path: string, body: unknown) =>
    fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  const { token } = (await (await post('/register', bob)).json()) as { token: string }
  const { token: second } = (await (await post('/login', bob)).json()) as { token: string }
  await post('/register', bob)
  await post('/register', { ...bob, email: 'nonsense' })
  await post('/login', JSON.stringify(bob).slice(0, -1))
  await post('/login', { name: 'bob', password: [password] })
  // Users may type the password into the field of the name.
  await post('/login', { name: password, password: 'wrong' })
  for (let i = 0; i < 7; i++) await post('/login', { name: 'bob', password: `${password} ${i}` })
  await fetch(`${url}/fetchusers`, { headers: { authorization: `Bearer ${token}` } })
  await fetch(`${url}/fetchusers`, { headers: { authorization: `Bearer ${token}x` } })
  await fetch(`${url}/fetchusers?token=${token}`)
  await fetch(`${url}/socket.io/?EIO=4&transport=polling&token=${token}`)

  const clients = [{ token: second }, { token: `${token}x` }, { token: [token] }].map((auth) =>
    io(url, { auth, transports: ['websocket'], forceNew: true, reconnection: false }),
  )
  onTestFinished(() => clients.forEach((client) => client.close()))
  const [good, ...bad] = clients
  if (good === undefined) throw new Error('no client')
  await Promise.all([waitForConnect(good), ...bad.map((client) => nextEvent(client, 'connect_error'))])
  await good.emitWithAck(events.sendMessage, { username: password, message: 'hi', createdTime: 1 })

  const database = new DatabaseSync(dataFiles(dataDir).accounts, { readOnly: true })
  const [row] = database.prepare('SELECT password_hash FROM users').all()
  database.close()
  server.kill('SIGTERM')
  await server.exited
  const log = server.output.stdout + server.output.stderr
  expect(log).toContain('Chat Room is open')
  const hashes = [token, second].map((text) => createHash('sha256').update(text).digest('hex'))
  for (const secret of [password, token, second, String(row?.['password_hash']), ...hashes]) {
    expect(secret.length).toBeGreaterThan(20)
    expect(log).not.toContain(secret)
  }
})
