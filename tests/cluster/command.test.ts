import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawn } from 'node:child_process'
import { expect, onTestFinished, test } from 'vitest'
import { probes } from '../../contract/routes.ts'
import { isThere, postgresProgram } from '../../scripts/programs.ts'
import { isRunning, processTree } from '../support/process-tree.ts'
import { projectRoot } from '../support/project-root.ts'

const canRun = isThere('nginx') && isThere('redis-server') && postgresProgram('postgres') !== null
const openLine = /^Chat Room is open at (http:\S+) on 2 nodes/m

/** As a person starts it, with a place for temporary files that shows what is left behind. */
function startCommand() {
  const folder = mkdtempSync(join(tmpdir(), 'chat-room-command-'))
  // PostgreSQL runs as another user below it.
  chmodSync(folder, 0o755)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const child = spawn(process.execPath, ['scripts/launch.mjs', 'cluster', '--nodes', '2'], {
    cwd: projectRoot,
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const leftBehind = () =>
    existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('chat-room')) : []
  return { child, exited, output: () => output, leftBehind }
}

test.skipIf(!canRun)(
  'CLUSTER-6 one line with the address; Ctrl-C ends and removes everything, and so does a kill',
  async () => {
    for (const signal of ['SIGINT', 'SIGKILL'] as const) {
      const { child, exited, output, leftBehind } = startCommand()
      await Promise.race([expect.poll(output, { timeout: 120_000 }).toMatch(openLine), exited])
      expect(output().trim().split('\n')).toHaveLength(1)
      const [, url = ''] = openLine.exec(output()) ?? []
      expect((await fetch(url + probes.ready)).status).toBe(200)
      const processes = processTree(child.pid ?? 0)
      expect(processes.length).toBeGreaterThan(8)
      // The launcher passes Ctrl-C on. A kill reaches nobody else: it is the script that is killed here.
      process.kill(signal === 'SIGINT' ? (child.pid ?? 0) : (processes[1]?.pid ?? 0), signal)
      expect(await exited).toBe(signal === 'SIGINT' ? 0 : 137)
      const stillRunning = () => processes.filter(({ pid }) => isRunning(pid)).map(({ command }) => command)
      await expect.poll(stillRunning, { timeout: 30_000 }).toStrictEqual([])
      await expect.poll(leftBehind, { timeout: 30_000 }).toStrictEqual([])
    }
  },
  300_000,
)
