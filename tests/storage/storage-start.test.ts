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
import { expect, test } from 'vitest'
import { databaseNames, dataFiles } from '../../server/storage/sqlite/data-folder.ts'
import { spawnServer, temporaryFolder } from '../support/spawn-server.ts'
import { join, send } from './storage-client.ts'

/** Runs a server on this folder until it has stored something; returns what it logged. */
async function run(folder: string): Promise<string> {
  const server = spawnServer({ env: { DATA_DIR: folder } })
  const { socket } = await join(await server.opened())
  expect(await send(socket, 'hello')).toMatchObject({ ok: true })
  server.kill('SIGINT')
  expect(await server.exited).toBe(0)
  return server.output.stdout
}

/** The one line with which it refuses to start. */
async function refusal(folder: string, wrapper: readonly string[] = []): Promise<string> {
  const server = spawnServer({ env: { DATA_DIR: folder }, wrapper })
  // One that opens all the same is not waited for until the test times out.
  const opened = server.opened().then(
    () => 'open',
    () => server.exited,
  )
  expect(await opened).toBe(1)
  expect(server.output.stderr).toMatch(/^[^\n]+\n$/)
  return server.output.stderr.trim()
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

test('STORAGE-9 a new database is said in the log, and only a new one', async () => {
  const folder = temporaryFolder()
  const { accounts, messages } = dataFiles(folder)
  const first = await run(folder)
  for (const file of [accounts, messages]) expect(first).toContain(`"file":"${file}","msg":"database created"`)
  expect(await run(folder)).not.toContain('created')
})

test.each(databaseNames)(
  'STORAGE-9 where there was a room, a lost or emptied database of %s is no silent new beginning',
  async (name) => {
    const folder = temporaryFolder()
    await run(folder)
    const { head, [name]: file } = dataFiles(folder)
    const goOn = `restore it, or remove ${head} to start without it`
    truncateSync(file)
    expect(await refusal(folder)).toBe(`DATA_DIR: ${file} is empty, but there was one; ${goOn}`)
    rmSync(file)
    const another = new DatabaseSync(file)
    another.exec('PRAGMA journal_mode = WAL; CREATE TABLE something (of TEXT)')
    another.close()
    expect(await refusal(folder)).toBe(`DATA_DIR: ${file} is without its tables, but there was one; ${goOn}`)
    rmSync(file)
    expect(await refusal(folder)).toBe(`DATA_DIR: ${file} is missing, but there was one; ${goOn}`)
    rmSync(head)
    expect(await run(folder)).toContain(`"file":"${file}","msg":"database created"`)
  },
)

test('STORAGE-9 files copied from a running server without their write-ahead logs are no silent new beginning', async () => {
  const [folder, copy] = [temporaryFolder(), temporaryFolder()]
  const server = spawnServer({ env: { DATA_DIR: folder } })
  const { socket } = await join(await server.opened())
  expect(await send(socket, 'in the write-ahead log alone')).toMatchObject({ ok: true })
  for (const name of [...databaseNames, 'head'] as const) {
    copyFileSync(dataFiles(folder)[name], dataFiles(copy)[name])
  }
  expect(await refusal(copy)).toContain('is without its tables, but there was one')
})

test('STORAGE-9 a database of a newer version is refused in one line', async () => {
  const folder = temporaryFolder()
  await run(folder)
  const { accounts, messages } = dataFiles(folder)
  const newer = (file: string) =>
    `DATA_DIR: ${file} was written by a newer version of Chat Room; start that version, or restore a backup`
  copyFileSync(messages, `${messages}.kept`)
  const log = new DatabaseSync(messages)
  log.exec('PRAGMA user_version = 99')
  log.close()
  expect(await refusal(folder)).toBe(newer(messages))
  copyFileSync(`${messages}.kept`, messages)
  const database = new DatabaseSync(accounts)
  database.exec(`INSERT INTO kysely_migration VALUES ('999-of-the-future', '2030-01-01T00:00:00.000Z')`)
  database.close()
  expect(await refusal(folder)).toBe(newer(accounts))
})

test('STORAGE-10 all files are the server’s own user’s alone, in a folder that nobody else may enter', async () => {
  const folder = joinPath(temporaryFolder(), 'data')
  mkdirSync(folder, { mode: 0o755 })
  chmodSync(folder, 0o755)
  await run(folder)
  const { accounts, messages, head, lock } = dataFiles(folder)
  expect(modeOf(folder)).toBe('700')
  // As an earlier version left them.
  for (const file of [accounts, messages, head, lock]) chmodSync(file, 0o644)
  chmodSync(folder, 0o755)
  const server = spawnServer({ env: { DATA_DIR: folder } })
  await server.opened()
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

test('STORAGE-10 a folder with other people’s files is not closed to them, but said in the log; ours are private there too', async () => {
  const folder = temporaryFolder()
  chmodSync(folder, 0o755)
  writeFileSync(joinPath(folder, 'notes.txt'), 'somebody else’s')
  expect(await run(folder)).toContain('DATA_DIR readable by other users')
  expect(modeOf(folder)).toBe('755')
  expect(modeOf(dataFiles(folder).messages)).toBe('600')
})

/** The tests' own user; root without its power over what is others', in a folder that nobody else may have to enter. */
const isRoot = process.getuid?.() === 0
const powerless = isRoot ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all'] : []
const nobody = 65_534

function giveAway(path: string): void {
  if (isRoot) chownSync(path, nobody, nobody)
}

test('STORAGE-10 a file that this user may not write stops the start with one line that names it: no second server, no stack', async () => {
  const folder = temporaryFolder()
  await run(folder)
  for (const name of ['lock', 'accounts', 'messages', 'head'] as const) {
    const copy = temporaryFolder()
    cpSync(folder, copy, { recursive: true })
    const file = dataFiles(copy)[name]
    giveAway(file)
    chmodSync(file, 0o444)
    const line = await refusal(copy, powerless)
    expect(line).toMatch(/^DATA_DIR: the file .* cannot be written by this user/)
    expect(line).toContain(file)
  }
})

test('STORAGE-10 a folder that the system lets nobody make stops the start with one line, at once', async () => {
  expect(await refusal('/proc/chat-room/data')).toBe(
    'DATA_DIR: the folder /proc/chat-room/data cannot be written (ENOENT)',
  )
})

test('STORAGE-10 a folder that this user may not write stops the start with one line that names it', async () => {
  const folder = temporaryFolder()
  giveAway(folder)
  chmodSync(folder, 0o555)
  expect(await refusal(folder, powerless)).toBe(`DATA_DIR: the folder ${folder} cannot be written (EACCES)`)
  chmodSync(folder, 0o755)
})
