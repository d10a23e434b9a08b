import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import * as eventNames from '../../contract/events.ts'
import { apiDescriptionPath, callPaths, probes } from '../../contract/routes.ts'
import { noMetrics } from '../../server/observe/metrics-recorder.ts'
import type { LogEntry } from '../../server/room/message-log.ts'
import { encodeMessage } from '../../server/storage/redis/log/message-codec.ts'
import type { AccountTables } from '../../server/storage/sql/account-tables.ts'
import { databaseNames, databases, dataFiles } from '../../server/storage/sqlite/data-folder.ts'
import { migrateLog } from '../../server/storage/sqlite/log/log-schema.ts'
import { projectRoot } from '../support/project-root.ts'
import { startServer } from '../support/start-server.ts'

const read = (file: string) => readFileSync(join(projectRoot, file), 'utf8')
/** Returns the source code of one side, without its tests. */
const sourcesOf = (side: string) =>
  globSync(`${side}/**/*.{ts,tsx}`, { cwd: projectRoot, exclude: ['**/*.test.*', '**/*.suite.ts'] })
    .map(read)
    .join('\n')
/** Returns a hash that does not depend on white space. */
const hashOf = (text: string) =>
  createHash('sha256').update(text.replace(/\s+/g, ' ').trim()).digest('hex').slice(0, 12)

/**
 * Returns a hash of each migration in a file, without its comments. Skips migrations that only name a function, because
 * such functions have their own tests.
 */
function migrationsOf(file: string, migration: RegExp): string[] {
  return [...read(file).matchAll(migration)].map(([, text = '']) => hashOf(text.replace(/^\s*\/\/.*$/gm, '')))
}

const accountMigrationFiles = ['account-tables.ts', 'moderation-tables.ts'].map((name) => `server/storage/sql/${name}`)

test('API-4 the API description has exactly the call paths and probes of the contract', async () => {
  const { url } = await startServer()
  const { paths } = (await (await fetch(url + apiDescriptionPath)).json()) as { paths: Record<string, object> }
  expect(new Set(Object.keys(paths))).toStrictEqual(new Set([...callPaths, ...Object.values(probes)]))
})

test.each(['server', 'web'])('WIRE-3 every event of the contract is sent or received in %s', (side) => {
  const sources = sourcesOf(side)
  for (const [group, names] of Object.entries(eventNames)) {
    const used = new Set(sources.match(new RegExp(String.raw`(?<=\b${group}\.)\w+`, 'g')))
    expect([...used], group).toStrictEqual(expect.arrayContaining(Object.keys(names)))
  }
})

test('OPERATING-6 the server calls every method of the metrics recorder', () => {
  const called = new Set(sourcesOf('server').match(/(?<=\bmetrics\.)\w+(?=\()/g))
  expect([...called]).toStrictEqual(expect.arrayContaining(Object.keys(noMetrics)))
})

test('OPERATING-11 the backup and restore scripts cover every database', () => {
  const files = dataFiles('data')
  const others = ['head', 'lock']
  expect(Object.keys(files).toSorted()).toStrictEqual([...databaseNames, ...others].toSorted())
  const script = read('deploy/databases.sh')
  const names = databaseNames.map((name) => basename(files[name], '.sqlite'))
  expect(script).toContain(`databases='${names.join(' ')}'`)
  for (const name of databaseNames) {
    const tables = databases[name].tables.map((table) => `('${table}')`).join(', ')
    expect(script).toContain(`${basename(files[name], '.sqlite')}) echo "${tables}" ;;`)
  }
})

/** Words of the privacy table for each column of an account and for the other tables; `null`: no data about a user. */
const privateColumns: Readonly<Record<keyof AccountTables['users'], string>> = {
  registered_order: 'order of registration',
  id: 'id',
  name: 'name',
  name_key: 'name',
  look_key: 'name',
  email: 'e-mail address',
  email_key: 'e-mail address',
  password_hash: 'password hash',
}
const privateTables: Readonly<Record<Exclude<keyof AccountTables, 'users'>, string | null>> = {
  tokens: 'hashes of session tokens',
  reserved_names: 'hash of the name of a deleted or renamed account',
  moderators: 'role of a moderator',
  account_networks: 'networks from which an account connected',
  restrictions: 'mutes and bans',
  moderation_audit: 'audit',
  room_values: null,
  filtered_words: null,
}

/** Words of the privacy table for each column of the table `messages`; `null`: no data about a user. */
const privateLogColumns: Readonly<Record<string, string | null>> = {
  seq: null,
  id: null,
  username: 'name, text and time of a message',
  message: 'name, text and time of a message',
  created_time: 'name, text and time of a message',
  stored_at_ms: 'name, text and time of a message',
  account_id: 'account and network of the sender of a message',
  network: 'account and network of the sender of a message',
  removed: null,
}
/** Message whose stored text in Redis has exactly the values of `redisValues`, in this order. */
const redisMessage: LogEntry = {
  message: { username: 'name', message: 'text', createdTime: 0 },
  sender: { accountId: 'account', network: 'network' },
  id: null,
  after: null,
}
const redisValues = [
  ['name', 'account', 'network'],
  ['text', 0],
]

/** Returns the kinds of data in the privacy table. */
const privacyTable = () =>
  [...read('SECURITY.md').matchAll(/^\| ([^|]+) \|[^|]+\|[^|]+\|$/gm)].map(([, cell = '']) => cell)

test('MODERATION-29 the privacy table has every column of a stored message, and Redis stores nothing else', () => {
  const database = new DatabaseSync(':memory:')
  migrateLog(database, '')
  const columns = database.prepare("SELECT name FROM pragma_table_info('messages')").all()
  expect(columns.map(({ name }) => name).toSorted()).toStrictEqual(Object.keys(privateLogColumns).toSorted())
  for (const words of Object.values(privateLogColumns))
    if (words !== null) expect(privacyTable()).toContainEqual(expect.stringContaining(words))
  const lines = encodeMessage(redisMessage).split('\n')
  expect(lines.map((line): unknown => JSON.parse(line))).toStrictEqual(redisValues)
})

test('MODERATION-29 the privacy table has every column of an account and every table with data about users', () => {
  const data = privacyTable()
  const ofAccount = data.find((cell) => cell.endsWith('password hash of an account'))?.split(/, | and | of an account/)
  expect(ofAccount).toStrictEqual(expect.arrayContaining(Object.values(privateColumns)))
  for (const words of Object.values(privateTables))
    if (words !== null) expect(data).toContainEqual(expect.stringContaining(words))
})

test('STORAGE-13 a released migration never changes, because databases that ran it would not run it again', () => {
  const ofLog = migrationsOf('server/storage/sqlite/log/log-schema.ts', /^ {2}`([^`]+)`,$/gm)
  const ofAccounts = accountMigrationFiles.flatMap((file) =>
    migrationsOf(file, /^ {2}'\d{3}-[^']+': \{\n(.*?)^ {2}\},$/gms),
  )
  // A new migration adds its hash here.
  expect(ofLog).toStrictEqual(['6281e6ff8183', 'b06044453c90', 'bb0f73380d8a', 'd5dd60c6e92b', '65906d9d9eab'])
  expect(ofAccounts).toStrictEqual([
    'e6d15225bdcb',
    '0ed05aa12fa3',
    'e13bdd822a69',
    '562469b3e0c7',
    '7480d3ff7f19',
    '5b3d3f64a0e6',
  ])
})

test('STORAGE-13 a new migration of accounts or moderation sorts after all released ones; otherwise Kysely rejects existing databases', () => {
  const names = accountMigrationFiles.flatMap((file) => read(file).match(/(?<=^ {2}')\d{3}-[^']+(?=': \{)/gm) ?? [])
  // Both files share one numbering. Add a new name only at the end.
  expect(names.toSorted()).toStrictEqual([
    '001-users-and-tokens',
    '002-registered-order',
    '003-name-keys',
    '004-tokens-by-user',
    '005-name-keys-without-strokes',
    '006-moderation',
    '007-reserved-names',
    '008-name-keys-normalized',
    '009-audit-accounts',
    '010-link-audit-entries',
    '011-name-keys-of-sequences',
  ])
})
