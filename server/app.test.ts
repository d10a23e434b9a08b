import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createServer } from './app.ts'
import { StartError } from './base/start-error.ts'
import { readSettings } from './config/settings.ts'

test('START-1 a failed start names its cause, also if the server cannot be closed afterwards', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chat-room-app-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'file')
  writeFileSync(file, '')
  const dispose = vi.spyOn(AsyncDisposableStack.prototype, 'disposeAsync')
  onTestFinished(() => dispose.mockRestore())
  dispose.mockImplementationOnce(async function close(this: AsyncDisposableStack) {
    await this.disposeAsync()
    throw new Error('the disk hangs')
  })
  const lines: string[] = []
  const log = pino({}, { write: (line) => void lines.push(line) })
  const settings = readSettings({ DATA_DIR: file })
  await expect(createServer({ settings, log, hiddenInternals: [] })).rejects.toThrow(StartError)
  expect(lines.at(-1)).toContain('the disk hangs')
})
