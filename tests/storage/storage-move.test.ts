import { existsSync, readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { routes } from '../../contract/routes.ts'
import { dataFiles } from '../../server/sqlite/data-folder.ts'
import { layOldDatabase, oldPassword, oldRoom, oldUsers } from './old-database.ts'
import { spawnServer, temporaryFolder } from '../support/spawn-server.ts'
import { join, send } from './storage-client.ts'

const json = { 'content-type': 'application/json' }

async function expectAllThere(folder: string, { token, lastId }: { token: string; lastId: string }): Promise<void> {
  const server = spawnServer({ env: { DATA_DIR: folder } })
  const url = await server.opened()
  const list = await fetch(url + routes.users, { headers: { authorization: `Bearer ${token}` } })
  expect(await list.json()).toStrictEqual(
    oldUsers.map((name) => ({ _id: `id of ${name}`, name, email: `${name}@x.org` })),
  )
  const body = JSON.stringify({ name: 'Zoe', password: oldPassword })
  const login = await fetch(url + routes.login, { method: 'POST', headers: json, body })
  expect(await login.json()).toMatchObject({ stat: 'Success', name: 'zoe' })

  const cursor = { epoch: oldRoom.epoch, seq: oldRoom.oldest - 1 }
  const client = await join(url, cursor)
  expect(client.placed).toStrictEqual(cursor)
  const count = oldRoom.head - oldRoom.oldest + 1
  const expected = Array.from({ length: count }, (_, index) => oldRoom.oldest + index)
  expect(await client.received(count)).toStrictEqual(expected.map((seq) => [seq, `message ${seq}`]))
  expect(await send(client.socket, `message ${oldRoom.head}`, lastId)).toStrictEqual({ ok: true, seq: oldRoom.head })
  expect(await send(client.socket, 'the next')).toStrictEqual({ ok: true, seq: oldRoom.head + 1 })
  expect(existsSync(dataFiles(folder).old)).toBe(false)
  expect(readdirSync(folder).filter((name) => /moving|partial|chat-room\.sqlite/.test(name))).toStrictEqual([])
  server.kill('SIGINT')
  expect(await server.exited).toBe(0)
}

test('STORAGE-1 the database of an earlier version is moved to two files: accounts, tokens, messages, epoch, head', async () => {
  const folder = temporaryFolder()
  await expectAllThere(folder, await layOldDatabase(folder))
})

test.each(['settled-1', 'marked-1', 'copied-1', 'placed-1', 'copied-2', 'placed-2', 'recorded-1'])(
  'STORAGE-1 kill -9 in the middle of the move (%s): the next start goes on, and nothing is lost',
  async (step) => {
    const folder = temporaryFolder()
    const old = await layOldDatabase(folder)
    const killed = spawnServer({ env: { DATA_DIR: folder, NODE_ENV: 'test', FAULT_POINT: `move-${step}` } })
    expect(await killed.exited).toBe('SIGKILL')
    await expectAllThere(folder, old)
  },
)

test('STORAGE-1 an old database beside the new ones is refused in one line, and nothing of either is touched', async () => {
  const folder = temporaryFolder()
  const first = spawnServer({ env: { DATA_DIR: folder } })
  await first.opened()
  first.kill('SIGINT')
  await first.exited
  await layOldDatabase(folder)
  const second = spawnServer({ env: { DATA_DIR: folder } })
  expect(await second.exited).toBe(1)
  const { old, accounts, messages } = dataFiles(folder)
  expect(second.output.stderr).toBe(
    `DATA_DIR: ${old}, of an earlier version, stands beside ${accounts} and ${messages}; move away what is not wanted\n`,
  )
  for (const file of [old, accounts, messages]) expect(existsSync(file)).toBe(true)
})
