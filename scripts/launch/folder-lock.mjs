import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { logLine } from './steps.mjs'

/**
 * Age from which a lock is stale. It is longer than any installation; the process id may belong to another process by then.
 */
const maxLockAgeMs = 15 * 60_000

/**
 * Runs `work` while holding a lock file in the folder, so that concurrent starts do not install or build at the same
 * time.
 */
export async function withFolderLock(folder, work) {
  const lock = join(folder, '.preparing')
  for (let tries = 0; !acquire(lock); tries++) {
    if (tries === 5) logLine('waiting for another process that is preparing this folder')
    await delay(200)
  }
  try {
    return await work()
  } finally {
    rmSync(lock, { force: true })
  }
}

function acquire(lock) {
  try {
    writeFileSync(lock, `${process.pid}`, { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    if (!isHeld(lock)) rmSync(lock, { force: true })
    return false
  }
}

/** Returns whether another running process holds the lock. The lock of a killed process is stale. */
function isHeld(lock) {
  try {
    if (Date.now() - statSync(lock).mtimeMs > maxLockAgeMs) return false
    const holder = Number(readFileSync(lock, 'utf8'))
    // The file is empty until its owner has written the process id.
    if (holder === 0) return true
    // The main process of every container has the same id, so this is the lock of an earlier container.
    if (holder === process.pid) return false
    process.kill(holder, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
