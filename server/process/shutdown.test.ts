import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const sourceOf = (path: string) => JSON.stringify(pathToFileURL(join(import.meta.dirname, path)).href)

/**
 * Runs a process whose storage thread hangs in a system call, as on a disk that hangs, and whose drain never ends. Then
 * runs `script` in it. Returns how the process ended, and its last log line.
 */
function runHanging(script: string) {
  const folder = mkdtempSync(join(tmpdir(), 'chat-room-shutdown-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const fifo = join(folder, 'fifo')
  spawnSync('mkfifo', [fifo])
  const thread = `
    import { readFileSync } from 'node:fs'
    import { parentPort } from 'node:worker_threads'
    parentPort.postMessage('started')
    readFileSync(${JSON.stringify(fifo)})`
  const { error, signal, status, stdout } = spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { once } from 'node:events'
      import { Worker } from 'node:worker_threads'
      import { createLog } from ${sourceOf('../observe/create-logger.ts')}
      import { endOnDefects, stopOnSignals } from ${sourceOf('shutdown.ts')}
      const serverLog = createLog('info')
      endOnDefects(serverLog)
      stopOnSignals({ drain: () => new Promise(() => undefined) }, serverLog)
      await once(new Worker(${JSON.stringify(thread)}, { eval: true }), 'message')
      ${script}`,
    ],
    { encoding: 'utf8', timeout: 10_000, killSignal: 'SIGKILL' },
  )
  const lines = stdout.trim().split('\n')
  return { ended: error?.message ?? signal ?? status, lastLine: lines.at(-1) }
}

test('STORAGE-4 while a storage thread hangs, a second Ctrl-C ends the process at once', () => {
  const press = `process.kill(process.pid, 'SIGINT')`
  const { ended, lastLine } = runHanging(`${press}; setTimeout(() => ${press}, 1_600)`)
  expect(ended).toBe('SIGINT')
  expect(lastLine).toContain('press Ctrl-C again')
})

test('STORAGE-4 while a storage thread hangs, a defect ends the process and its log line is written', () => {
  const { ended, lastLine } = runHanging(`setTimeout(() => { throw new Error('test defect') })`)
  expect(ended).toBe('SIGKILL')
  expect(lastLine).toContain('test defect')
})
