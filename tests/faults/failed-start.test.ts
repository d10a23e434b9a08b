import { readdirSync } from 'node:fs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { runFaults } from './run-faults.ts'

test('TESTS-3 a fault run whose server cannot start fails and leaves no folder', async () => {
  const folder = temporaryFolder()
  vi.stubEnv('TMPDIR', folder)
  onTestFinished(() => void vi.unstubAllEnvs())
  const run = runFaults({ seed: 1, seconds: 1, retainedMessages: -1 })
  await expect(run).rejects.toThrow('RETENTION_MESSAGES')
  expect(readdirSync(folder)).toStrictEqual([])
})
