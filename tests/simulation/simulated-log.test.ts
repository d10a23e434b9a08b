import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { entries, keepAll } from '../../server/room/log-fixture.suite.ts'
import { createRandom } from '../faults/random.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { openSimulatedLog } from './simulated-log.ts'
import { createVirtualTime } from './virtual-time.ts'

test('MODERATION-1 the log of the simulation lists the messages before a position, as the real log does', async () => {
  const random = createRandom('1')
  const time = createVirtualTime(random)
  const file = join(temporaryFolder(), 'messages.sqlite')
  const owner = { name: 'server', isAlive: true }
  const { log, closeFile } = openSimulatedLog({ file, retention: keepAll, time, random, owner })
  onTestFinished(closeFile)
  const appended = log.append(entries(3), () => {})
  const listed = log.listForOperator(2, 3)
  await time.run(() => false, 60_000)
  await appended
  expect(await listed).toMatchObject([{ seq: 1 }, { seq: 2 }])
})
