import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
} from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Logger } from 'pino'
import { StartError } from '../../base/start-error.ts'

const ownerOnly = 0o600
const ownerOnlyFolder = 0o700
const openToOthers = 0o077

/** SQLite gives its own files beside a database the database's mode. */
export function createPrivately(file: string): void {
  closeSync(openSync(file, 'a', ownerOnly))
}

/** Makes the folder where it is missing, and keeps others out of one that is the server's own. */
export function openPrivateFolder(folder: string, isOurs: (name: string) => boolean, log: Pick<Logger, 'warn'>): void {
  try {
    makeFolder(folder)
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new StartError(`DATA_DIR: the folder ${folder} cannot be written (${errorCode(error)})`)
  }
  const { mode, uid } = statSync(folder)
  if ((mode & openToOthers) === 0 || process.getuid === undefined) return
  // A folder that others use too (somebody may name /tmp) is not ours to close.
  const isShared = readdirSync(folder).some((name) => !isOurs(name))
  if (!isShared && mayChange(uid)) chmodSync(folder, ownerOnlyFolder)
  else {
    log.warn(
      { folder, mode: (mode & 0o7777).toString(8), uid },
      'DATA_DIR: others may look into this folder, and it is not the server’s own to close; its files are kept private. Give the server a folder of its own',
    )
  }
}

/** With its parents. Not Node's own `recursive`: where the system refuses any folder, as in /proc, that one tries for ever. */
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return
  if (!existsSync(dirname(folder))) makeFolder(dirname(folder))
  mkdirSync(folder, { mode: ownerOnlyFolder })
}

/** A file that is there must be writable, by nobody else. SQLite would open it for reading only, without a word. */
export function keepPrivate(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats === undefined) return
  try {
    if ((stats.mode & openToOthers) !== 0 && mayChange(stats.uid)) chmodSync(file, ownerOnly)
    accessSync(file, constants.R_OK | constants.W_OK)
  } catch (error) {
    throw new StartError(
      `DATA_DIR: the file ${basename(file)} cannot be written by this user: ${file} (${errorCode(error)})`,
    )
  }
}

function mayChange(owner: number): boolean {
  const user = process.getuid?.()
  return user === owner || user === 0
}

function errorCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error)
}
