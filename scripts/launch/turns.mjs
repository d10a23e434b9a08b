import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { say } from './steps.mjs'

/** Longer than any installation: by then the number in the lock may be that of an unrelated process. */
const longestTurnMs = 15 * 60_000

/** One at a time: two first starts in one folder would install over each other. */
export async function inTurn(folder, work) {
  const lock = join(folder, '.preparing')
  for (let tries = 0; !take(lock); tries++) {
    if (tries === 5) say('waiting for another start that prepares this folder')
    await delay(200)
  }
  try {
    return await work()
  } finally {
    rmSync(lock, { force: true })
  }
}

function take(lock) {
  try {
    writeFileSync(lock, `${process.pid}`, { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    if (!isHeld(lock)) rmSync(lock, { force: true })
    return false
  }
}

/** Whoever was killed in its turn holds nothing. */
function isHeld(lock) {
  try {
    if (Date.now() - statSync(lock).mtimeMs > longestTurnMs) return false
    const holder = Number(readFileSync(lock, 'utf8'))
    // Nothing in it yet: its maker is just about to write.
    if (holder === 0) return true
    // In a container every first process has the same number.
    if (holder === process.pid) return false
    process.kill(holder, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
