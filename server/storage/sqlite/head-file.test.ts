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

/** Returns stats as Node reports them where `statx` is blocked: ctime as the birth time. */
function statsWithoutBirth(file: string) {
  const { ino, mode, ctimeMs } = statSync(file)
  return { ino, mode, birthtimeMs: ctimeMs, ctimeMs }
}

/** Waits until the clock of the file system advances, so that the next change of the file gets a later ctime. */
async function waitForClockTick(file: string): Promise<void> {
  const { ctimeMs, mode } = statSync(file)
  await expect
    .poll(() => {
      chmodSync(file, mode & 0o777)
      return statSync(file).ctimeMs
    })
    .toBeGreaterThan(ctimeMs)
}

test('STORAGE-2 the identity and the mode of a file stay the same after a write', async () => {
  const file = makeFile()
  await waitForClockTick(file)
  const before = identityOf(file)
  expect(before.bornMs).toBe(Math.floor(statSync(file).birthtimeMs))
  appendFileSync(file, ' that grows')
  expect(identityOf(file)).toStrictEqual(before)
  expect(statSync(file).mode & 0o777).toBe(0o640)
})

test('STORAGE-2 the birth time of a file that has not changed since its creation is known', async () => {
  const clock = makeFile()
  const file = `${clock}.new`
  closeSync(openSync(file, 'wx'))
  const { birthtimeMs, ctimeMs } = statSync(file)
  expect(ctimeMs).toBe(birthtimeMs)
  await waitForClockTick(clock)
  expect(identityOf(file).bornMs).toBe(Math.floor(birthtimeMs))
})

test('STORAGE-2 without birth times, a file that changed keeps its identity', async () => {
  const file = makeFile()
  for (const readStats of [statsWithoutBirth, (path: string) => ({ ...statsWithoutBirth(path), birthtimeMs: 0 })]) {
    const before = identityOf(file, readStats)
    await waitForClockTick(file)
    const after = identityOf(file, readStats)
    expect(isSameFile(before, after)).toBe(true)
    // Only one of the two identities has a birth time.
    expect(isSameFile(before, identityOf(file))).toBe(true)
    expect(isSameFile(identityOf(file), after)).toBe(true)
  }
})

test('STORAGE-2 a different inode, or a different birth time when both are known, is a different file', () => {
  expect(isSameFile({ inode: 1, bornMs: null }, { inode: 2, bornMs: null })).toBe(false)
  expect(isSameFile({ inode: 1, bornMs: 10 }, { inode: 2, bornMs: 10 })).toBe(false)
  expect(isSameFile({ inode: 1, bornMs: 10 }, { inode: 1, bornMs: 11 })).toBe(false)
  expect(isSameFile({ inode: 1, bornMs: 10 }, { inode: 1, bornMs: 10 })).toBe(true)
})
