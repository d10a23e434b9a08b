import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartError } from '../../base/start-error.ts'
import { identityOf, openHeadFile } from './head-file.ts'
import { openDatabase } from './open-database.ts'
import { createPrivateFile } from './private-files.ts'

const accountTables = ['users', 'tokens', 'kysely_migration', 'kysely_migration_lock']
const logTables = ['room', 'messages', 'probe']

export interface MoveFiles {
  /** Where earlier versions kept everything. */
  old: string
  /** The same file while it is being moved over: its name says that the move is not done. */
  moving: string
  accounts: string
  messages: string
  head: string
}

/** After each of these the process may die; the next start goes on from there. */
export type MoveStep = 'settled' | 'marked' | 'copied' | 'placed' | 'recorded'

/**
 * Moves accounts and messages from the single database of earlier versions to files of their own. The old file goes
 * last, when both new ones are complete on the disk. It is not kept: it would hold texts beyond their retention.
 */
export function moveOldDatabase(files: MoveFiles, onStep: (step: MoveStep) => void): boolean {
  const { old, moving, accounts, messages, head } = files
  if (existsSync(old)) {
    const others = [accounts, messages, moving].filter((file) => existsSync(file))
    if (others.length > 0) {
      throw new StartError(
        `DATA_DIR: ${old}, of an earlier version, stands beside ${others.join(' and ')}; move away what is not wanted`,
      )
    }
    if (statSync(old).size === 0)
      throw new StartError(`DATA_DIR: ${old} is empty; restore it, or remove it to start anew`)
    settleWriteAheadLog(old)
    onStep('settled')
    renameSync(old, moving)
    syncFolder(moving)
    onStep('marked')
  }
  if (!existsSync(moving)) return false
  copyTables(moving, accounts, accountTables, onStep)
  copyTables(moving, messages, logTables, onStep)
  recordHead(messages, head)
  onStep('recorded')
  rmSync(moving)
  syncFolder(moving)
  return true
}

/** Everything in the one file that is renamed. */
function settleWriteAheadLog(file: string): void {
  const database = openDatabase(file)
  database.exec('PRAGMA journal_mode = DELETE')
  database.close()
}

function copyTables(from: string, to: string, tables: string[], onStep: (step: MoveStep) => void): void {
  if (existsSync(to)) return
  const partial = `${to}.partial`
  for (const leftover of [partial, `${partial}-journal`]) rmSync(leftover, { force: true })
  createPrivateFile(partial)
  const database = new DatabaseSync(partial, { enableForeignKeyConstraints: false })
  database.exec('PRAGMA auto_vacuum = INCREMENTAL; PRAGMA synchronous = FULL;')
  database.prepare('ATTACH ? AS old').run(from)
  database.exec('BEGIN')
  const list = tables.map((table) => `'${table}'`).join(', ')
  const objects = database
    .prepare(
      `SELECT type, name, sql FROM old.sqlite_master WHERE tbl_name IN (${list}) AND sql IS NOT NULL ORDER BY rowid`,
    )
    .all() as { type: string; name: string; sql: string }[]
  for (const { type, name, sql } of objects) {
    database.exec(sql)
    if (type === 'table') database.exec(`INSERT INTO main."${name}" SELECT * FROM old."${name}"`)
  }
  // The order of registration goes on behind the last that was ever given out.
  if (objects.some(({ sql }) => /autoincrement/i.test(sql))) {
    database.exec(`DELETE FROM main.sqlite_sequence;
      INSERT INTO main.sqlite_sequence SELECT * FROM old.sqlite_sequence WHERE name IN (${list});`)
  }
  database.exec('COMMIT')
  database.close()
  onStep('copied')
  renameSync(partial, to)
  syncFolder(to)
  onStep('placed')
}

/** The moved log goes on under its epoch: it holds all that was given out. */
function recordHead(messages: string, headFile: string): void {
  const database = new DatabaseSync(messages, { readOnly: true })
  const { epoch, head } = database.prepare('SELECT epoch, head FROM room').get() as { epoch: string; head: number }
  database.close()
  const file = openHeadFile(headFile)
  file.writeAndSync({ epoch, head, ...identityOf(messages) })
  file.close()
}

/** A rename is on the disk when its folder is. */
function syncFolder(file: string): void {
  const descriptor = openSync(dirname(file), 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}
