import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { get } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { probes } from '../../contract/routes.ts'
import { serverFlags } from '../../scripts/server-flags.mjs'
import type { HistoryEvent } from './history.ts'

/** Deadline for the exit of the server after SIGTERM. */
const drainDeadlineMs = 15_000
/** Deadline of a start. A start takes about one second, but has taken 30 s on a busy machine. */
const readyDeadlineMs = 120_000
const pollIntervalMs = 25

interface ServerProcessOptions {
  entry: string
  port: number
  env: NodeJS.ProcessEnv
  logFile: string
  record: (event: HistoryEvent) => void
}

/** Creates functions that start, stop and kill a real server process on one port, any number of times. */
export function createServerProcess({ entry, port, env, logFile, record }: ServerProcessOptions) {
  const log = createWriteStream(logFile, { flags: 'a' })
  const crash = Promise.withResolvers<never>()
  crash.promise.catch(() => undefined)
  let child: ChildProcess | null = null
  let exited: Promise<string> = Promise.resolve('never started')
  let isExitExpected = true
  let recentOutput = ''

  function spawnProcess(extraEnv: NodeJS.ProcessEnv = {}): void {
    isExitExpected = false
    const spawned = spawn(process.execPath, [...serverFlags, entry], {
      env: { ...process.env, ...env, ...extraEnv, PORT: String(port), HOST: '127.0.0.1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child = spawned
    log.write(`--- started, pid ${spawned.pid}\n`)
    for (const output of [spawned.stdout, spawned.stderr]) {
      output.on('data', (chunk: Buffer) => {
        log.write(chunk)
        recentOutput = `${recentOutput}${chunk.toString()}`.slice(-1_000)
      })
    }
    exited = new Promise((resolve) => {
      spawned.once('exit', (code, signal) => {
        const exit = signal ?? `code ${code}`
        log.write(`--- ended, ${exit}\n`)
        if (child === spawned) child = null
        if (!isExitExpected) {
          record({ type: 'crashed', exit })
          crash.reject(new Error(`the server exited unexpectedly: ${exit}\n${recentOutput}`))
        }
        resolve(exit)
      })
    })
  }

  /**
   * Waits until the server is ready. Resolves to false if the process exits before that, and throws at the deadline.
   */
  async function ready(): Promise<boolean> {
    const deadline = performance.now() + readyDeadlineMs
    const started = child
    const hasExited = () => child === null || child !== started
    while (!hasExited()) {
      if (await isServerReady(port)) return true
      if (performance.now() > deadline) throw new Error(`the server was not ready within ${readyDeadlineMs} ms`)
      await pause(pollIntervalMs)
    }
    return false
  }

  async function end(signal: NodeJS.Signals): Promise<string> {
    isExitExpected = true
    child?.kill(signal)
    return exited
  }

  return {
    /** Promise that rejects when the server exits unexpectedly. */
    crashed: crash.promise,
    running: () => child !== null,
    spawn: spawnProcess,
    ready,
    async start(extraEnv?: NodeJS.ProcessEnv): Promise<void> {
      spawnProcess(extraEnv)
      if (!(await ready())) throw new Error(`the server exited during its start: ${await exited}\n${recentOutput}`)
    },
    kill: () => end('SIGKILL'),
    /** Marks the next exit as expected, for a server that kills itself at a fault point. */
    expectExit(): Promise<string> {
      isExitExpected = true
      return exited
    },
    signal: (signal: 'SIGSTOP' | 'SIGCONT') => child?.kill(signal),
    /**
     * Sends SIGTERM. Sends SIGKILL if the process has not exited after `killAfterMs`, by default the drain deadline.
     * Resolves to the exit code or signal, or to 'too long' after that SIGKILL.
     */
    async drain(killAfterMs?: number): Promise<string> {
      const startedAt = performance.now()
      const cutShort = new AbortController()
      const drained = end('SIGTERM').finally(() => cutShort.abort())
      const waited = pause(killAfterMs ?? drainDeadlineMs, 'too long', { signal: cutShort.signal })
      const outcome = await Promise.race([drained, waited.catch(() => drained)])
      if (outcome === 'too long') {
        await end('SIGKILL')
        if (killAfterMs === undefined)
          record({ type: 'drain timeout', tookMs: Math.round(performance.now() - startedAt) })
      } else if (outcome !== 'code 0') record({ type: 'crashed', exit: `drain ended with ${outcome}` })
      return outcome
    },
    async close(): Promise<void> {
      await end('SIGKILL')
      await new Promise((resolve) => log.end(resolve))
    },
  }
}

function isServerReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ port, host: '127.0.0.1', path: probes.ready, agent: false, timeout: 2_000 }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve(false))
  })
}
