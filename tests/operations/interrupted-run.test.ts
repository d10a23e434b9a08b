import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isRunning, processTree } from '../support/process-tree.ts'
import { projectRoot } from '../support/project-root.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** Script of a test run with one suite, which starts a process in its own process group and never ends. */
const run = `
  import { spawn, spawnSync } from 'node:child_process'
  import { createTestRun } from './scripts/test/test-run.ts'
  const command = 'mkdir "$TMPDIR/left-over"; sleep 60 & echo started; wait'
  await createTestRun().suite('endless', () => {
    spawn('sh', ['-c', command], { detached: true, stdio: 'inherit' })
    return new Promise(() => undefined)
  })`

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'TESTS-3 a run that is interrupted by %s leaves neither processes nor folders',
  async (signal) => {
    const folder = temporaryFolder()
    const child = spawn(process.execPath, ['--input-type=module', '--eval', run], {
      cwd: projectRoot,
      env: { ...process.env, TMPDIR: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    // The shell can print before its child process executes `sleep`.
    const hasSleep = () => processTree(child.pid ?? 0).some(({ command }) => command.startsWith('sleep'))
    await expect.poll(hasSleep).toBe(true)
    const processes = processTree(child.pid ?? 0)
    expect(readdirSync(folder)).toHaveLength(1)

    const ended = once(child, 'exit')
    child.kill(signal)
    expect(await ended).toStrictEqual([128 + constants.signals[signal], null])
    const isLeft = ({ pid }: { pid: number }) => isRunning(pid)
    await expect.poll(() => processes.filter(isLeft)).toStrictEqual([])
    await expect.poll(() => readdirSync(folder)).toStrictEqual([])
  },
)

test('TESTS-1 the output of suites that run at the same time does not mix', () => {
  const steps = JSON.stringify(join(projectRoot, 'scripts/steps.ts'))
  // The second command runs while the first command waits between its two lines.
  const script = `
    import { existsSync, writeFileSync } from 'node:fs'
    import { setTimeout } from 'node:timers/promises'
    import { runAndShowLater } from ${steps}
    const [started, done] = ['started', 'done'].map((name) => process.argv[1] + '/' + name)
    const wait = 'while [ ! -e ' + done + ' ]; do sleep 0.01; done'
    const first = runAndShowLater('sh', ['-c', 'echo first 1; touch ' + started + '; ' + wait + '; echo first 2'])
    while (!existsSync(started)) await setTimeout(10)
    await runAndShowLater('echo', ['second'])
    writeFileSync(done, '')
    await first`
  const args = ['--input-type=module', '--eval', script, temporaryFolder()]
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect(stdout, stderr).toBe('second\nfirst 1\nfirst 2\n')
})
