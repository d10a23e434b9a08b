import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { account, tokenOf } from '../../accounts/account-fixture.suite.ts'
import { openSqliteAccountStore } from '../sqlite/accounts/sqlite-account-store.ts'
import { ignoreStoreCallbacks } from '../sqlite/store-callbacks.suite.ts'

test('MODERATION-14 audit entries of an earlier version belong to the account that had the name at their time', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chat-room-audit-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'accounts.sqlite')
  const created = await openSqliteAccountStore(file, ignoreStoreCallbacks)
  const [bob, eve] = [account('bob'), account('eve')]
  for (const one of [bob, eve]) await created.create(one, tokenOf(one.name))
  await created.close()

  const database = new DatabaseSync(file)
  database.exec(`
    DELETE FROM kysely_migration WHERE name >= '009';
    ALTER TABLE moderation_audit DROP COLUMN actor_id;
    ALTER TABLE moderation_audit DROP COLUMN target_id`)
  const insert = database.prepare(
    'INSERT INTO moderation_audit (at_ms, actor, action, target, reason) VALUES (?, ?, ?, ?, ?)',
  )
  // Bob was called amy, then zoe.
  for (const [actor, action, target, reason = null] of [
    ['operator', '1', 'bob'],
    ['amy', '2', 'eve'],
    ['operator', 'users rename', 'amy', 'zoe'],
    ['operator', 'end-restriction', 'mute of zoe'],
    ['operator', 'users rename', 'zoe', 'bob'],
    // This rename failed.
    ['operator', 'users rename', 'bob', 'eve'],
    ['eve', '3', 'bob'],
    ['operator', '4', 'amy'],
  ] as const)
    insert.run(Date.now(), actor, action, target, reason)
  database.close()

  const store = await openSqliteAccountStore(file, ignoreStoreCallbacks)
  onTestFinished(() => store.close())
  const targetsOf = async (id: string) =>
    (await store.moderation.listAudit(10, id)).map(({ action, target }) => `${action}: ${target}`)
  expect(await targetsOf(bob.id)).toStrictEqual([
    '3: bob',
    'users rename: bob',
    'users rename: zoe',
    'end-restriction: mute of zoe',
    'users rename: amy',
    '2: eve',
  ])
  expect(await targetsOf(eve.id)).toStrictEqual(['3: bob', '2: eve'])
})
