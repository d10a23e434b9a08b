import { appendFileSync, chmodSync, closeSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { identityOf, isSameFile } from './head-file.ts'

function makeFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'chat-room-head-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'messages.sqlite')
  writeFileSync(file, 'a database', { mode: 0o640 })
  return file
}

/** What Node tells where the system call for births is blocked. */
function statsWithoutBirth(file: string) {
  const { ino, mode, ctimeMs } = statSync(file)
  return { ino, mode, birthtimeMs: ctimeMs, ctimeMs }
}

/** What is written goes into a tick of the file system's clock; the next one has begun when this returns. */
async function passTick(file: string): Promise<void> {
  const { ctimeMs, mode } = statSync(file)
  await expect
    .poll(() => {
      chmodSync(file, mode & 0o777)
      return statSync(file).ctimeMs
    })
    .toBeGreaterThan(ctimeMs)
}

test('STORAGE-2 a file is the same after it was written to, and keeps its mode', async () => {
  const file = makeFile()
  await passTick(file)
  const before = identityOf(file)
  expect(before.bornMs).toBe(Math.floor(statSync(file).birthtimeMs))
  appendFileSync(file, ' that grows')
  expect(identityOf(file)).toStrictEqual(before)
  expect(statSync(file).mode & 0o777).toBe(0o640)
})

test('STORAGE-2 the birth of a file that has not changed since is known too', async () => {
  const clock = makeFile()
  const file = `${clock}.new`
  closeSync(openSync(file, 'wx'))
  const { birthtimeMs, ctimeMs } = statSync(file)
  expect(ctimeMs).toBe(birthtimeMs)
  await passTick(clock)
  expect(identityOf(file).bornMs).toBe(Math.floor(birthtimeMs))
})

test('STORAGE-2 where births are not told, a file that changed is still the same one', async () => {
  const file = makeFile()
  for (const readStats of [statsWithoutBirth, (path: string) => ({ ...statsWithoutBirth(path), birthtimeMs: 0 })]) {
    const before = identityOf(file, readStats)
    await passTick(file)
    const after = identityOf(file, readStats)
    expect(isSameFile(before, after)).toBe(true)
    // Births are told from now on, or no longer.
    expect(isSameFile(before, identityOf(file))).toBe(true)
    expect(isSameFile(identityOf(file), after)).toBe(true)
  }
})

test('STORAGE-2 another inode, or another birth where both are known, is another file', () => {
  expect(isSameFile({ inode: 1, bornMs: null }, { inode: 2, bornMs: null })).toBe(false)
  expect(isSameFile({ inode: 1, bornMs: 10 }, { inode: 2, bornMs: 10 })).toBe(false)
  expect(isSameFile({ inode: 1, bornMs: 10 }, { inode: 1, bornMs: 11 })).toBe(false)
  expect(isSameFile({ inode: 1, bornMs: 10 }, { inode: 1, bornMs: 10 })).toBe(true)
})
