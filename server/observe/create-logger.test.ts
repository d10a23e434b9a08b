import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test('OPERATING-1 a log line never has the same key twice', () => {
  // Run the logger in another process, because it writes to the standard output.
  const script = `import { createLog } from ${JSON.stringify(join(import.meta.dirname, 'create-logger.ts'))}
    const odd = { level: 'shed-logins', time: 1, pid: 2, hostname: 'x', msg: 'y', reason: 'z' }
    createLog('info').log.warn(odd, 'logged')`
  const { stdout: line } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
  for (const key of ['level', 'time', 'pid', 'hostname', 'msg']) expect(line.split(`"${key}":`)).toHaveLength(2)
  expect(JSON.parse(line)).toMatchObject({ level: 40, msg: 'logged', level_: 'shed-logins', msg_: 'y', reason: 'z' })
})
