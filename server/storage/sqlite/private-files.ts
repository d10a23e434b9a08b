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
import { dirname } from 'node:path'
import type { Report } from '../../observe/events.ts'
import { StartError } from '../../base/start-error.ts'

const ownerOnly = 0o600
const ownerOnlyFolder = 0o700
const groupAndOthers = 0o077

/** Creates a missing file with access only for its owner. SQLite gives the files beside a database the mode of the database. */
export function createPrivateFile(file: string): void {
  closeSync(openSync(file, 'a', ownerOnly))
}

/**
 * Creates the folder if it is missing. Removes access for other users. Reports a folder that other users can access if
 * the server must not change its mode: the folder holds files of other programs, or belongs to another user.
 */
export function openPrivateFolder(folder: string, isOurs: (name: string) => boolean, report: Report): void {
  try {
    makeFolder(folder)
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new StartError(
      `DATA_DIR: the folder ${folder} cannot be written (${errorCode(error)}); allow this user to write it, or set another folder`,
    )
  }
  const { mode, uid } = statSync(folder)
  if ((mode & groupAndOthers) === 0 || process.getuid === undefined) return
  // The server must not change the mode of a folder that other programs use, for example /tmp.
  const isShared = readdirSync(folder).some((name) => !isOurs(name))
  if (!isShared && canChangeMode(uid)) chmodSync(folder, ownerOnlyFolder)
  else {
    report({ type: 'data-folder-readable', folder, mode: (mode & 0o7777).toString(8), uid })
  }
}

/** Creates the folder and its parents. With `recursive`, Node's `mkdirSync` never returns if mkdir always fails, as in /proc. */
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return
  if (!existsSync(dirname(folder))) makeFolder(dirname(folder))
  mkdirSync(folder, { mode: ownerOnlyFolder })
}

/**
 * Removes access for other users from an existing file whose mode the server can change. Throws when the server cannot
 * read or write the file: SQLite would open a read-only file without an error.
 */
export function makePrivate(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats === undefined) return
  try {
    if ((stats.mode & groupAndOthers) !== 0 && canChangeMode(stats.uid)) chmodSync(file, ownerOnly)
    accessSync(file, constants.R_OK | constants.W_OK)
  } catch (error) {
    throw new StartError(
      `DATA_DIR: the file ${file} cannot be written (${errorCode(error)}); allow this user to read and write it`,
    )
  }
}

function canChangeMode(owner: number): boolean {
  const user = process.getuid?.()
  return user === owner || user === 0
}

function errorCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error)
}
