import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.ts'
import type { HistoryEvent } from './history.ts'
import { startRestricting } from './restrict-clients.ts'
import { runFaults } from './run-faults.ts'

test('TESTS-3 a fault run whose server cannot start fails and leaves no folder', async () => {
  const folder = temporaryFolder()
  vi.stubEnv('TMPDIR', folder)
  onTestFinished(() => void vi.unstubAllEnvs())
  const run = runFaults({ seed: 1, seconds: 1, retainedMessages: -1 })
  await expect(run).rejects.toThrow('RETENTION_MESSAGES')
  expect(readdirSync(folder)).toStrictEqual([])
})

test('TESTS-3 a fault run that is aborted stops restricting clients although no node responds', async () => {
  const abort = new AbortController()
  const recorded: HistoryEvent[] = []
  const restricting = startRestricting({
    seed: 1,
    adminSockets: [join(temporaryFolder(), 'admin.sock')],
    clients: () => [{ name: 'client', address: '127.0.1.1' }],
    record: (event) => void recorded.push(event),
    signal: abort.signal,
  })
  const stopped = restricting.stop()
  const types = () => recorded.map(({ type }) => type)
  await expect.poll(types).toContain('lifting')
  abort.abort()
  await stopped
  expect(types()).toStrictEqual(['restricting', 'lifting'])
})
