import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { probes } from '../../contract/routes.ts'
import { findFreePort } from './free-port.ts'
import { projectRoot } from './project-root.ts'

/** A first start may have to build. */
const startDeadlineMs = 120_000

export interface Application {
  url: string
  /** kill -9 and wait until it is gone. */
  kill(): Promise<void>
  /** SIGTERM, as an operator ends it. */
  terminate(): Promise<void>
  start(): Promise<void>
  /** Removes what it stored; only while it is not running. */
  deleteData(): Promise<void>
  /** Ends it and removes what it stored. */
  dispose(): Promise<void>
}

async function waitUntilReady(url: string, child: ChildProcess, output: () => string) {
  const deadline = Date.now() + startDeadlineMs
  for (;;) {
    const answer = await fetch(url + probes.ready).catch(() => null)
    if (answer?.ok === true) return
    if (child.exitCode !== null) throw new Error(`the application ended:\n${output()}`)
    if (Date.now() > deadline) throw new Error(`the application does not answer:\n${output()}`)
    await delay(50)
  }
}

async function end(child: ChildProcess | null, signal: NodeJS.Signals) {
  if (child === null || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

/** Runs the application in a process of its own, on a free port and a folder of its own. */
export async function startApplication(command: string[], env: Record<string, string> = {}): Promise<Application> {
  const port = await findFreePort()
  const dataDir = await mkdtemp(join(tmpdir(), 'chat-room-e2e-'))
  const url = `http://localhost:${port}`
  let child: ChildProcess | null = null
  let output = ''

  const application: Application = {
    url,
    kill: () => end(child, 'SIGKILL'),
    terminate: () => end(child, 'SIGTERM'),
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
      await end(child, 'SIGTERM')
      await application.deleteData()
    },
  }
  await application.start()
  return application
}
