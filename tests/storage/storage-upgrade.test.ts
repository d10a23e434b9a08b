import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join as joinPath } from 'node:path'
import { expect, test } from 'vitest'
import { routes } from '../../contract/routes.ts'
import { StartError } from '../../server/base/start-error.ts'
import { createEarlierDataFolder, earlierPassword, earlierRoom, earlierUsers } from './earlier-data-folder.ts'
import { startServer } from '../support/start-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { join, send } from './storage-client.ts'

const json = { 'content-type': 'application/json' }

test('STORAGE-1 a data folder of the oldest supported version keeps accounts, tokens, messages, epoch and head', async () => {
  const folder = temporaryFolder()
  const { token, lastId } = await createEarlierDataFolder(folder)
  const { url, drain } = await startServer({ DATA_DIR: folder })
  const list = await fetch(url + routes.users, { headers: { authorization: `Bearer ${token}` } })
  expect(await list.json()).toStrictEqual(
    earlierUsers.map((name) => ({ _id: `id of ${name}`, name, email: `${name}@x.org` })),
  )
  const body = JSON.stringify({ name: 'Zoe', password: earlierPassword })
  const login = await fetch(url + routes.login, { method: 'POST', headers: json, body })
  expect(await login.json()).toMatchObject({ stat: 'Success', name: 'zoe' })

  const cursor = { epoch: earlierRoom.epoch, seq: earlierRoom.oldest - 1 }
  const client = await join(url, cursor)
  expect(client.placed).toMatchObject(cursor)
  const count = earlierRoom.head - earlierRoom.oldest + 1
  const expected = Array.from({ length: count }, (_, index) => earlierRoom.oldest + index)
  expect(await client.received(count)).toStrictEqual(expected.map((seq) => [seq, `message ${seq}`]))
  expect(await send(client.socket, `message ${earlierRoom.head}`, lastId)).toStrictEqual({
    ok: true,
    seq: earlierRoom.head,
  })
  expect(await send(client.socket, 'the next')).toStrictEqual({ ok: true, seq: earlierRoom.head + 1 })
  await drain()
})

test.each(['chat-room.sqlite', 'chat-room.sqlite.moving'])(
  'STORAGE-1 a data folder with %s of an unsupported version is rejected with one line and not changed',
  async (name) => {
    const folder = temporaryFolder()
    const file = joinPath(folder, name)
    writeFileSync(file, '')
    const line = `DATA_DIR: ${file} was written by an early version that is no longer supported; move it away to start with new databases`
    await expect(startServer({ DATA_DIR: folder })).rejects.toStrictEqual(new StartError(line))
    expect(existsSync(file)).toBe(true)
    expect(readdirSync(folder).toSorted()).toStrictEqual(['chat-room.lock', name].toSorted())
  },
)
