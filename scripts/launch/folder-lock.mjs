import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { logLine } from './steps.mjs'

/**
 * Age from which a lock is stale, longer than any installation takes. The process id in an older lock may belong to
 * another process.
 */
const maxLockAgeMs = 15 * 60_000
/** Age from which the claim to remove a stale lock is stale. A removal takes no longer than a few system calls. */
const maxRemovalMs = 10_000

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
    const found = identify(lock)
    if (found !== null && !isHeld(lock, found)) removeStale(lock, found)
    return false
  }
}

/** Returns the inode and time of a lock file, which distinguish the file from a later one; `null` if there is no file. */
function identify(lock) {
  const stats = statSync(lock, { throwIfNoEntry: false })
  return stats === undefined ? null : { inode: stats.ino, modifiedAtMs: stats.mtimeMs }
}

/** Returns whether another running process holds the lock. The lock of a killed process is stale. */
function isHeld(lock, { modifiedAtMs }) {
  try {
    if (Date.now() - modifiedAtMs > maxLockAgeMs) return false
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

/**
 * Removes a stale lock, unless another process has removed it meanwhile and acquired the lock. Only one process at a
 * time compares and removes.
 */
function removeStale(lock, stale) {
  const claim = `${lock}-removal`
  try {
    writeFileSync(claim, '', { flag: 'wx' })
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    const earlier = identify(claim)
    // The process that created the claim was killed.
    if (earlier !== null && Date.now() - earlier.modifiedAtMs > maxRemovalMs) rmSync(claim, { force: true })
    return
  }
  try {
    const current = identify(lock)
    if (current?.inode === stale.inode && current.modifiedAtMs === stale.modifiedAtMs) rmSync(lock)
  } finally {
    rmSync(claim, { force: true })
  }
}
