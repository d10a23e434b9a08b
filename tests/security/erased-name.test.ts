import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import type { ModeratorAction } from '../../contract/moderation.ts'
import type { OperatorAction } from '../../server/moderation/moderation-actions.ts'
import { dataFiles } from '../../server/storage/sqlite/data-folder.ts'
import { moderate, operate, registerFrom, sendText } from '../support/moderation.ts'
import { waitForConnect } from '../support/socket-events.ts'
import { startServer } from '../support/start-server.ts'

type Action = ModeratorAction | OperatorAction

/** Tables of the accounts themselves. The test searches all other tables. */
const accountTables = ['users', 'tokens', 'reserved_names']

test('MODERATION-14 after every action on an account and by it, its erased name is in no table of moderation', async () => {
  const server = await startServer()
  const { moderation } = server.server
  const account = await registerFrom((path, body) => server.call(path, body), 'Zebulon')
  const socket = await waitForConnect(server.client({ auth: { token: account.token } }))
  const ack = await sendText(socket, 'hello')
  if (!ack.ok) throw new Error(ack.message)
  const senderOf = ack.seq
  const reason = `${account.name} floods`

  await operate(server, { type: 'add-moderator', account })
  expect(await moderate(socket, { type: 'set-rules', rules: { readOnly: true } })).toMatchObject({ ok: true })
  const actions: { [Type in Action['type']]: () => Extract<Action, { type: Type }> } = {
    'add-moderator': () => ({ type: 'add-moderator', account }),
    'remove-moderator': () => ({ type: 'remove-moderator', account }),
    remove: () => ({ type: 'remove', seqs: [senderOf] }),
    'remove-sender': () => ({ type: 'remove-sender', senderOf }),
    mute: () => ({ type: 'mute', senderOf, minutes: 10, reason }),
    'end-restriction': () => ({ type: 'end-restriction', id: moderation.restrictions()[0]?.id ?? '' }),
    ban: () => ({ type: 'ban', senderOf, minutes: 10, reason }),
    restrict: () => ({ type: 'restrict', kind: 'mute', target: { account }, minutes: null, reason }),
    'set-rules': () => ({ type: 'set-rules', rules: { linksOff: true } }),
    overview: () => ({ type: 'overview' }),
    'add-word': () => ({ type: 'add-word', word: 'spam' }),
    'remove-word': () => ({ type: 'remove-word', word: 'spam' }),
    announce: () => ({ type: 'announce', text: 'hello' }),
  }
  for (const actionOf of Object.values(actions)) await operate(server, actionOf())

  const database = new DatabaseSync(dataFiles(server.dataDir).accounts, { readOnly: true })
  onTestFinished(() => database.close())
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as { name: string }[]
  const rowsWithName = () =>
    tables
      .filter(({ name }) => !accountTables.includes(name))
      .flatMap(({ name }) =>
        database
          .prepare(`SELECT * FROM ${name}`)
          .all()
          .map((row) => JSON.stringify([name, row])),
      )
      .filter((row) => row.includes(account.name))
  expect(rowsWithName().length).toBeGreaterThan(8)
  await moderation.eraseNames(account.id)
  expect(rowsWithName()).toStrictEqual([])
})
