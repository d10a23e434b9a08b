import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { append, entry, keepAll } from '../../server/room/log-fixture.suite.ts'
import { dataFiles } from '../../server/storage/sqlite/data-folder.ts'
import { openSqliteLog } from '../../server/storage/sqlite/log/sqlite-log.ts'
import { ignoreStoreCallbacks } from '../../server/storage/sqlite/store-callbacks.suite.ts'
import { projectRoot } from '../support/project-root.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

test('MODERATION-8 a restore names the removed messages whose texts the backup contains', async () => {
  const [data, backup] = [join(temporaryFolder(), "the room's data"), temporaryFolder()]
  mkdirSync(data)
  const file = dataFiles(data).messages
  const open = () => openSqliteLog(file, keepAll, ignoreStoreCallbacks)
  const first = await open()
  await append(first, [entry('a'), entry('b'), entry('c'), entry('d')])
  await first.remove([1])
  await first.close()
  copyFileSync(file, dataFiles(backup).messages)
  const second = await open()
  await append(second, [entry('e')])
  await second.remove([2, 4, 5])
  await second.close()

  const env = { ...process.env, DATA_DIR: data, BACKUP_DIR: backup }
  const script = join(projectRoot, 'deploy/restore.sh')
  const { status, stderr } = spawnSync('sh', [script, 'messages'], { env, encoding: 'utf8' })
  expect(status).toBe(0)
  expect(stderr).toContain('npm run admin -- messages remove 2 4\n')
  const restored = await open()
  expect(await restored.remove([2, 4])).toStrictEqual([2, 4])
  await restored.close()
})
