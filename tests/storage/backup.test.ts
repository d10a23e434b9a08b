import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { removedText } from '../../contract/constants.ts'
import { isInstalled } from '../../scripts/programs.ts'
import { databaseNames, dataFiles } from '../../server/storage/sqlite/data-folder.ts'
import { projectRoot } from '../support/project-root.ts'
import { temporaryFolder } from '../support/spawn-server.ts'
import { startServer } from '../support/start-server.ts'

const nobodyUid = 65_534

interface Folders {
  data: string
  backup: string
}

function runScript(name: string, { data, backup }: Folders, ...args: string[]) {
  const env = { ...process.env, DATA_DIR: data, BACKUP_DIR: backup }
  const script = join(projectRoot, 'deploy', `${name}.sh`)
  const { status, stdout, stderr } = spawnSync('sh', [script, ...args], { env, encoding: 'utf8' })
  return { status, stdout, stderr }
}

/**
 * Creates an empty backup folder, and a data folder as a server leaves it: one message, one account, the head file and
 * the lock file.
 */
function createDataFolders(text: string): Folders {
  // These folder names break a script without correct quoting.
  const folders = {
    data: join(temporaryFolder(), 'the room’s $data'),
    backup: join(temporaryFolder(), "it's a backup"),
  }
  for (const folder of Object.values(folders)) mkdirSync(folder)
  writeDataFolder(folders.data, text)
  return folders
}

function writeDataFolder(folder: string, text: string): void {
  const { accounts, messages, head, lock } = dataFiles(folder)
  const log = new DatabaseSync(messages)
  log.exec(`PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS room (epoch TEXT, removals INTEGER);
    INSERT INTO room SELECT 'epoch', 0 WHERE NOT EXISTS (SELECT 1 FROM room);
    CREATE TABLE IF NOT EXISTS removals (number INTEGER PRIMARY KEY, seq INTEGER, removed_at_ms INTEGER);
    CREATE TABLE IF NOT EXISTS messages (seq INTEGER PRIMARY KEY, username TEXT, message TEXT, removed INTEGER DEFAULT 0)`)
  log.prepare('INSERT INTO messages (username, message) VALUES (?, ?)').run('ann', text)
  log.close()
  const database = new DatabaseSync(accounts)
  database.exec(`PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS users (name TEXT);
    CREATE TABLE IF NOT EXISTS tokens (hash TEXT)`)
  database.prepare('INSERT INTO users VALUES (?)').run(text)
  database.close()
  for (const file of [head, lock]) writeFileSync(file, '')
}

function rows(file: string, sql: string): unknown[] {
  const database = new DatabaseSync(file, { readOnly: true })
  const values = database.prepare(sql).all()
  database.close()
  return values.map((row) => Object.values(row)[0])
}

const textsIn = (folder: string) => rows(dataFiles(folder).messages, 'SELECT message FROM messages ORDER BY seq')
const removalsIn = (folder: string) =>
  rows(dataFiles(folder).messages, "SELECT room.removals || ' ' || number || ' ' || seq FROM removals, room")
const usersIn = (folder: string) => rows(dataFiles(folder).accounts, 'SELECT name FROM users')

/** Returns all files of a folder with their bytes. */
const contentOf = (folder: string) =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'base64')]))

const damages: [string, (file: string) => void][] = [
  ['is missing', (file) => rmSync(file)],
  ['is empty', (file) => truncateSync(file)],
  [
    'is a database of something else',
    (file) => {
      rmSync(file)
      const database = new DatabaseSync(file)
      database.exec('CREATE TABLE something (of TEXT)')
      database.close()
    },
  ],
  ['is corrupt', (file) => writeFileSync(file, Buffer.alloc(16_384, 'not a database '))],
  ['lacks its second half', (file) => truncateSync(file, 8_192)],
  [
    'has a page of garbage behind a good beginning',
    (file) => {
      const opened = openSync(file, 'r+')
      writeSync(opened, Buffer.alloc(4_096, 'not a page '), 0, 4_096, 4_096)
      closeSync(opened)
    },
  ],
]

describe.skipIf(!isInstalled('sqlite3'))('OPERATING-11 OPERATING-12 by the scripts in deploy', () => {
  test('OPERATING-11 a backup replaces the last one, is readable by its owner only, and leaves no other file', () => {
    const folders = createDataFolders('first')
    for (const texts of [['first'], ['first', 'second']]) {
      expect(runScript('backup', folders)).toStrictEqual({ status: 0, stdout: '', stderr: '' })
      expect(readdirSync(folders.backup).toSorted()).toStrictEqual(databaseNames.map((name) => `${name}.sqlite`))
      expect(textsIn(folders.backup)).toStrictEqual(texts)
      for (const name of readdirSync(folders.backup)) {
        expect(statSync(join(folders.backup, name)).mode & 0o777).toBe(0o600)
      }
      writeDataFolder(folders.data, 'second')
    }
  })

  test.each(damages)('OPERATING-11 a database that %s fails the backup and the last backup stays', (_, damage) => {
    for (const name of databaseNames) {
      const folders = createDataFolders('kept')
      expect(runScript('backup', folders).status).toBe(0)
      const before = contentOf(folders.backup)
      // Both databases differ from the last backup, so that a partial replacement would be visible.
      writeDataFolder(folders.data, 'later')
      damage(dataFiles(folders.data)[name])
      const { status, stderr } = runScript('backup', folders)
      expect(status).toBe(1)
      expect(stderr).toContain(`${name}.sqlite`)
      expect(contentOf(folders.backup)).toStrictEqual(before)
    }
  })

  test('OPERATING-11 missing, unnamed or identical folders stop both scripts and nothing is created', () => {
    const folders = createDataFolders('kept')
    expect(runScript('backup', folders).status).toBe(0)
    const before = contentOf(folders.data)
    const nowhere = join(temporaryFolder(), 'nowhere')
    for (const script of ['backup', 'restore']) {
      for (const wrong of [{ data: nowhere }, { backup: nowhere }, { data: '' }, { backup: folders.data }]) {
        expect(runScript(script, { ...folders, ...wrong }).status).toBe(1)
      }
    }
    expect(existsSync(nowhere)).toBe(false)
    expect(contentOf(folders.data)).toStrictEqual(before)
  })

  test.each(damages)('OPERATING-11 a copy that %s is not restored and nothing changes', (_, damage) => {
    for (const name of databaseNames) {
      const folders = createDataFolders('kept')
      expect(runScript('backup', folders).status).toBe(0)
      damage(dataFiles(folders.backup)[name])
      // After a crash the write-ahead log holds part of the database and must not be removed.
      writeFileSync(`${dataFiles(folders.data).messages}-wal`, 'the newest messages')
      const before = contentOf(folders.data)
      const { status, stderr } = runScript('restore', folders)
      expect(status).toBe(1)
      expect(stderr).toContain(`${name}.sqlite`)
      expect(contentOf(folders.data)).toStrictEqual(before)
    }
  })

  test('OPERATING-11 a copy with a write-ahead log beside it, made without the backup script, is not restored', () => {
    const folders = createDataFolders('kept')
    expect(runScript('backup', folders).status).toBe(0)
    writeFileSync(`${dataFiles(folders.backup).messages}-wal`, 'the newest messages')
    expect(runScript('restore', folders).stderr).toContain('not a backup')
  })

  test('OPERATING-11 a restore keeps the replaced files and the owner of the files', () => {
    const folders = createDataFolders('kept')
    expect(runScript('backup', folders).status).toBe(0)
    writeDataFolder(folders.data, 'later')
    const { accounts, messages, head } = dataFiles(folders.data)
    const isRoot = process.getuid?.() === 0
    if (isRoot) for (const path of [folders.data, accounts, messages]) chownSync(path, nobodyUid, nobodyUid)
    chmodSync(folders.data, 0o700)
    expect(runScript('restore', folders).status).toBe(0)
    expect(textsIn(folders.data)).toStrictEqual(['kept'])
    expect(usersIn(folders.data)).toStrictEqual(['kept'])
    expect(existsSync(head)).toBe(false)
    for (const file of [accounts, messages]) {
      expect(statSync(file)).toMatchObject({ uid: isRoot ? nobodyUid : process.getuid?.(), mode: 0o100_600 })
    }
    const [aside = ''] = readdirSync(folders.data).filter((name) => name.startsWith('before-restore-'))
    expect(textsIn(join(folders.data, aside))).toStrictEqual(['kept', 'later'])
    expect(existsSync(dataFiles(join(folders.data, aside)).head)).toBe(true)
  })

  test('OPERATING-11 accounts can be restored alone and the messages stay', () => {
    const folders = createDataFolders('kept')
    expect(runScript('backup', folders).status).toBe(0)
    writeDataFolder(folders.data, 'later')
    rmSync(dataFiles(folders.backup).messages)
    expect(runScript('restore', folders, 'accounts').status).toBe(0)
    expect(usersIn(folders.data)).toStrictEqual(['kept'])
    expect(textsIn(folders.data)).toStrictEqual(['kept', 'later'])
    expect(existsSync(dataFiles(folders.data).head)).toBe(true)
    expect(runScript('restore', folders, 'everything').status).toBe(1)
  })

  test('OPERATING-11 while a server runs, a backup succeeds, and restore and remove fail', async () => {
    const { dataDir, close } = await startServer()
    const folders = { data: dataDir, backup: temporaryFolder() }
    expect(runScript('backup', folders)).toMatchObject({ status: 0, stderr: '' })
    const before = readdirSync(dataDir).toSorted()
    expect(runScript('restore', folders)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('stop the server'),
    })
    // The script fails before it searches for the message.
    expect(runScript('remove', folders, 'message', '1')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('stop the server first'),
    })
    expect(readdirSync(dataDir).toSorted()).toStrictEqual(before)
    await close()
    expect(runScript('restore', folders).status).toBe(0)
  })

  test('OPERATING-12 search and remove take their argument literally and print the number of rows', () => {
    const awkward = `O'Neil"; DROP TABLE messages; -- 100%_\\ $(id)`
    const folders = createDataFolders(awkward)
    writeDataFolder(folders.data, '1000 other')
    expect(runScript('remove', folders, 'find', '100%_')).toMatchObject({ status: 0, stdout: `1|ann|${awkward}\n` })
    expect(runScript('remove', folders, 'find', awkward).stdout).toBe(`1|ann|${awkward}\n`)
    expect(runScript('remove', folders, 'message', '1')).toMatchObject({ status: 0, stdout: '1 removed\n' })
    for (const seq of ['1', '3']) {
      expect(runScript('remove', folders, 'message', seq)).toMatchObject({ status: 1, stdout: '0 removed\n' })
    }
    expect(runScript('remove', folders, 'message', '1 OR 1').status).toBe(1)
    expect(textsIn(folders.data)).toStrictEqual([removedText, '1000 other'])
    expect(removalsIn(folders.data)).toStrictEqual(['1 1 1'])
    expect(runScript('remove', folders, 'user', "' OR ''='")).toMatchObject({ status: 1, stdout: '0 removed\n' })
    expect(runScript('remove', folders, 'user', awkward)).toMatchObject({ status: 0, stdout: '1 removed\n' })
    expect(usersIn(folders.data)).toStrictEqual(['1000 other'])
    expect(readFileSync(dataFiles(folders.data).messages, 'latin1')).not.toContain('Neil')
  })
})
