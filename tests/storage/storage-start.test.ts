import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join as joinPath } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { probes } from '../../contract/routes.ts'
import { StartError } from '../../server/base/start-error.ts'
import { databaseNames, dataFiles } from '../../server/storage/sqlite/data-folder.ts'
import { spawnServer, temporaryFolder } from '../support/spawn-server.ts'
import { startServer } from '../support/start-server.ts'
import { join, send } from './storage-client.ts'

/** Runs a server on this folder until the server has stored a message. Returns the log of the server. */
async function run(folder: string): Promise<string> {
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) })
  const { url, drain } = await startServer({ DATA_DIR: folder }, { log })
  const { socket } = await join(url)
  expect(await send(socket, 'hello')).toMatchObject({ ok: true })
  await drain()
  return lines.join('')
}

/** Returns the error line of a failed start. `start.test.ts` tests that the process prints it and exits with code 1. */
async function failStart(folder: string): Promise<string> {
  const error: unknown = await startServer({ DATA_DIR: folder }).then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(StartError)
  const { message } = error as StartError
  expect(message).not.toContain('\n')
  return message
}

/** Returns the error line of a start without the capabilities of root, which would override file permissions. */
async function failStartWithoutCapabilities(folder: string): Promise<string> {
  const wrapper = isRoot ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all'] : []
  const server = spawnServer({ env: { DATA_DIR: folder }, wrapper })
  // The promise resolves if the server starts nevertheless, so that the test fails at once.
  const opened = server.opened().then(
    () => 'open',
    () => server.exited,
  )
  expect(await opened).toBe(1)
  expect(server.output.stderr).toMatch(/^[^\n]+\n$/)
  return server.output.stderr.trim()
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

test('STORAGE-9 the log reports a created database, and only a created one', async () => {
  const folder = temporaryFolder()
  const { accounts, messages } = dataFiles(folder)
  const first = await run(folder)
  for (const file of [accounts, messages]) expect(first).toContain(`"file":"${file}","msg":"database created"`)
  expect(await run(folder)).not.toContain('created')
})

test.each(databaseNames)(
  'STORAGE-9 a missing or emptied database of %s ends the start with an error instead of creating a new one',
  async (name) => {
    const folder = temporaryFolder()
    await run(folder)
    const { head, [name]: file } = dataFiles(folder)
    const advice = `restore it, or remove ${head} to start without it`
    truncateSync(file)
    expect(await failStart(folder)).toBe(
      `DATA_DIR: the database ${file} is empty, but ${head} shows that it existed; ${advice}`,
    )
    rmSync(file)
    const another = new DatabaseSync(file)
    another.exec('PRAGMA journal_mode = WAL; CREATE TABLE something (of TEXT)')
    another.close()
    expect(await failStart(folder)).toBe(
      `DATA_DIR: the database ${file} is without its tables, but ${head} shows that it existed; ${advice}`,
    )
    rmSync(file)
    expect(await failStart(folder)).toBe(
      `DATA_DIR: the database ${file} is missing, but ${head} shows that it existed; ${advice}`,
    )
    rmSync(head)
    expect(await run(folder)).toContain(`"file":"${file}","msg":"database created"`)
  },
)

test('STORAGE-9 files copied from a running server without their write-ahead logs end the start with an error', async () => {
  const [folder, copy] = [temporaryFolder(), temporaryFolder()]
  const { socket } = await join((await startServer({ DATA_DIR: folder })).url)
  expect(await send(socket, 'in the write-ahead log alone')).toMatchObject({ ok: true })
  for (const name of [...databaseNames, 'head'] as const) {
    copyFileSync(dataFiles(folder)[name], dataFiles(copy)[name])
  }
  expect(await failStart(copy)).toMatch(/is without its tables, but .* shows that it existed/)
})

test('START-1 a start that fails releases what it has opened: the next start in the same process succeeds', async () => {
  const folder = temporaryFolder()
  await (await startServer({ DATA_DIR: folder })).close()
  const setVersion = (version: number) => {
    const database = new DatabaseSync(dataFiles(folder).messages)
    const before = database.prepare('PRAGMA user_version').get()?.['user_version']
    database.exec(`PRAGMA user_version = ${version}`)
    database.close()
    return Number(before)
  }
  const version = setVersion(99)
  await expect(startServer({ DATA_DIR: folder })).rejects.toThrow('newer version')
  setVersion(version)
  const { url } = await startServer({ DATA_DIR: folder })
  expect((await fetch(url + probes.ready)).status).toBe(200)
})

test('STORAGE-9 a database of a newer version is rejected in one line', async () => {
  const folder = temporaryFolder()
  await run(folder)
  const { accounts, messages } = dataFiles(folder)
  const newer = (file: string) =>
    `DATA_DIR: ${file} was written by a newer version of Chat Room; start that version, or restore a backup`
  copyFileSync(messages, `${messages}.kept`)
  const log = new DatabaseSync(messages)
  log.exec('PRAGMA user_version = 99')
  log.close()
  expect(await failStart(folder)).toBe(newer(messages))
  copyFileSync(`${messages}.kept`, messages)
  const database = new DatabaseSync(accounts)
  database.exec(`INSERT INTO kysely_migration VALUES ('999-newer', '2030-01-01T00:00:00.000Z')`)
  database.close()
  expect(await failStart(folder)).toBe(newer(accounts))
})

test('STORAGE-10 all files and the folder are accessible by the user of the server only', async () => {
  const folder = joinPath(temporaryFolder(), 'data')
  mkdirSync(folder, { mode: 0o755 })
  chmodSync(folder, 0o755)
  await run(folder)
  const { accounts, messages, head, lock } = dataFiles(folder)
  expect(modeOf(folder)).toBe('700')
  // Set the modes that an earlier version used.
  for (const file of [accounts, messages, head, lock]) chmodSync(file, 0o644)
  chmodSync(folder, 0o755)
  await startServer({ DATA_DIR: folder })
  expect(modeOf(folder)).toBe('700')
  const all = [
    accounts,
    messages,
    head,
    lock,
    `${messages}-wal`,
    `${messages}-shm`,
    `${accounts}-wal`,
    `${accounts}-shm`,
  ]
  for (const file of all) expect([file, modeOf(file)]).toStrictEqual([file, '600'])
})

test('STORAGE-10 a folder with other files keeps its mode, with a warning, and the files of the server are private', async () => {
  const folder = temporaryFolder()
  chmodSync(folder, 0o755)
  writeFileSync(joinPath(folder, 'notes.txt'), 'another file')
  expect(await run(folder)).toContain('DATA_DIR accessible to other users')
  expect(modeOf(folder)).toBe('755')
  expect(modeOf(dataFiles(folder).messages)).toBe('600')
})

const isRoot = process.getuid?.() === 0
const nobodyUid = 65_534

function chownToNobody(path: string): void {
  if (isRoot) chownSync(path, nobodyUid, nobodyUid)
}

test('STORAGE-10 a file that is not writable ends the start with one line that names it, without a second server or a stack', async () => {
  const folder = temporaryFolder()
  await run(folder)
  for (const name of ['lock', 'accounts', 'messages', 'head'] as const) {
    const copy = temporaryFolder()
    cpSync(folder, copy, { recursive: true })
    const file = dataFiles(copy)[name]
    chownToNobody(file)
    chmodSync(file, 0o444)
    const line = await failStartWithoutCapabilities(copy)
    expect(line).toMatch(/^DATA_DIR: the file .* cannot be written \(/)
    expect(line).toContain(file)
  }
})

test('STORAGE-10 a folder that cannot be created ends the start with one line at once', async () => {
  expect(await failStart('/proc/chat-room/data')).toBe(
    'DATA_DIR: the folder /proc/chat-room/data cannot be written (ENOENT); allow this user to write it, or set another folder',
  )
})

test('STORAGE-10 a folder that is not writable ends the start with one line that names it', async () => {
  const folder = temporaryFolder()
  chownToNobody(folder)
  chmodSync(folder, 0o555)
  expect(await failStartWithoutCapabilities(folder)).toBe(
    `DATA_DIR: the folder ${folder} cannot be written (EACCES); allow this user to write it, or set another folder`,
  )
  chmodSync(folder, 0o755)
})
