import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { probes } from '../../contract/routes.ts'
import { findFreePort } from './free-port.ts'
import { projectRoot } from './project-root.ts'

/** Timeout of a start. The first start may include a build. */
const startTimeoutMs = 120_000

/** Settings of a server without message rate limits. */
export const noLimits = { MESSAGES_PER_SECOND: '0', MESSAGES_PER_SECOND_PER_IP: '0' }

export interface Application {
  url: string
  /** Sends SIGKILL and waits until the process has exited. */
  kill(): Promise<void>
  /** Sends SIGTERM and waits until the process has exited. */
  terminate(): Promise<void>
  start(): Promise<void>
  /** Deletes the stored data. The application must not be running. */
  deleteData(): Promise<void>
  /** Stops the application and deletes its data. */
  dispose(): Promise<void>
}

async function waitUntilReady(url: string, child: ChildProcess, output: () => string) {
  const deadline = Date.now() + startTimeoutMs
  for (;;) {
    const response = await fetch(url + probes.ready).catch(() => null)
    if (response?.ok === true) return
    if (child.exitCode !== null) throw new Error(`the application exited:\n${output()}`)
    if (Date.now() > deadline) throw new Error(`the application is not ready:\n${output()}`)
    await delay(50)
  }
}

async function signalAndWait(child: ChildProcess | null, signal: NodeJS.Signals) {
  if (child === null || child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}

/** Runs the application in its own process, on a free port with a temporary data folder. */
export async function startApplication(command: string[], env: Record<string, string> = {}): Promise<Application> {
  const port = await findFreePort()
  const dataDir = await mkdtemp(join(tmpdir(), 'chat-room-e2e-'))
  const url = `http://localhost:${port}`
  let child: ChildProcess | null = null
  let output = ''

  const application: Application = {
    url,
    kill: () => signalAndWait(child, 'SIGKILL'),
    terminate: () => signalAndWait(child, 'SIGTERM'),
    async start() {
      child = spawn(process.execPath, command, {
        cwd: projectRoot,
        env: { ...process.env, PORT: String(port), DATA_DIR: dataDir, LOG_LEVEL: 'warn', ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += String(chunk)))
      await waitUntilReady(url, child, () => output)
    },
    deleteData: () => rm(dataDir, { recursive: true, force: true }),
    async dispose() {
      await signalAndWait(child, 'SIGTERM')
      await application.deleteData()
    },
  }
  await application.start()
  return application
}
