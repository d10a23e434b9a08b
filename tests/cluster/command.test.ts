import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawn } from 'node:child_process'
import { expect, onTestFinished, test } from 'vitest'
import { probes } from '../../contract/routes.ts'
import { isInstalled, postgresProgram } from '../../scripts/programs.ts'
import { adminCommand } from '../support/admin-command.ts'
import { isRunning, processTree } from '../support/process-tree.ts'
import { projectRoot } from '../support/project-root.ts'

const canRun = isInstalled('nginx') && isInstalled('redis-server') && postgresProgram('postgres') !== null
const openLine = /^Chat Room is open at (http:\S+) on 2 nodes/m

/** Starts the command with its own folder for temporary files, so that the test detects files that remain there. */
function startCommand() {
  const folder = mkdtempSync(join(tmpdir(), 'chat-room-command-'))
  // PostgreSQL runs as another user and needs access to the folder.
  chmodSync(folder, 0o755)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const child = spawn(process.execPath, ['scripts/launch.mjs', 'cluster', '--nodes', '2'], {
    cwd: projectRoot,
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  let warnings = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (warnings += text))
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const remainingFiles = () =>
    existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('chat-room')) : []
  return { child, exited, output: () => output, warnings: () => warnings, remainingFiles }
}

test.skipIf(!canRun)(
  'CLUSTER-6 the cluster command prints one line with the address, and leaves neither processes nor files after Ctrl-C or a kill',
  async () => {
    for (const signal of ['SIGINT', 'SIGKILL'] as const) {
      const { child, exited, output, warnings, remainingFiles } = startCommand()
      await Promise.race([expect.poll(output, { timeout: 120_000 }).toMatch(openLine), exited])
      expect(output(), warnings()).toMatch(openLine)
      expect(output().trim().split('\n')).toHaveLength(1)
      expect(warnings()).not.toContain('PUBLIC_ORIGINS')
      const [, url = ''] = openLine.exec(output()) ?? []
      expect((await fetch(url + probes.ready)).status).toBe(200)
      const [, adminSocket = ''] = /ADMIN_SOCKET=([^)]+)/.exec(output()) ?? []
      expect(await adminCommand(adminSocket, ['stats'])).toMatchObject({ exitCode: 0 })
      const processes = processTree(child.pid ?? 0)
      expect(processes.length).toBeGreaterThan(8)
      // The launcher forwards SIGINT. It cannot forward SIGKILL, so the test sends it to the script itself.
      process.kill(signal === 'SIGINT' ? (child.pid ?? 0) : (processes[1]?.pid ?? 0), signal)
      expect(await exited).toBe(signal === 'SIGINT' ? 0 : 137)
      const runningCommands = () => processes.filter(({ pid }) => isRunning(pid)).map(({ command }) => command)
      await expect.poll(runningCommands).toStrictEqual([])
      await expect.poll(remainingFiles).toStrictEqual([])
    }
  },
  300_000,
)
