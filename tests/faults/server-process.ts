import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { get } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { probes } from '../../contract/routes.ts'
import { serverFlags } from '../../scripts/server-flags.mjs'
import type { HistoryEvent } from './history.ts'

/** Exit within 15 s is promised; the rest is for a busy machine to notice it. */
const drainDeadlineMs = 15_000
/** A start takes about a second, and on a machine that does ten other things as well it took half a minute. */
const readyDeadlineMs = 120_000
const lookAgainMs = 25

interface ServerProcessOptions {
  entry: string
  port: number
  env: NodeJS.ProcessEnv
  logFile: string
  record: (happening: HistoryEvent) => void
}

/** A real server process on one port and one data folder, over any number of lives. */
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
        const how = signal ?? `code ${code}`
        log.write(`--- ended, ${how}\n`)
        if (child === spawned) child = null
        if (!isExitExpected) {
          record({ type: 'crashed', how })
          crash.reject(new Error(`the server ended by itself: ${how}\n${recentOutput}`))
        }
        resolve(how)
      })
    })
  }

  /** Resolves to false when the process has ended before it was ready. */
  async function ready(): Promise<boolean> {
    const deadline = performance.now() + readyDeadlineMs
    const awaited = child
    const isGone = () => child === null || child !== awaited
    while (!isGone()) {
      if (await answersReady(port)) return true
      if (performance.now() > deadline) throw new Error(`the server was not ready within ${readyDeadlineMs} ms`)
      await pause(lookAgainMs)
    }
    return false
  }

  async function end(signal: NodeJS.Signals): Promise<string> {
    isExitExpected = true
    child?.kill(signal)
    return exited
  }

  return {
    /** Rejects when the server ends and nobody asked it to. */
    crashed: crash.promise,
    running: () => child !== null,
    spawn: spawnProcess,
    ready,
    async start(extraEnv?: NodeJS.ProcessEnv): Promise<void> {
      spawnProcess(extraEnv)
      if (!(await ready())) throw new Error(`the server ended while it started: ${await exited}\n${recentOutput}`)
    },
    kill: () => end('SIGKILL'),
    /** For a server that is about to kill itself at a fault point. */
    expectExit(): Promise<string> {
      isExitExpected = true
      return exited
    },
    signal: (signal: 'SIGSTOP' | 'SIGCONT') => child?.kill(signal),
    /** SIGTERM, and an orderly end in time; `killAfterMs` cuts the drain short. Resolves to how it ended. */
    async drain(killAfterMs?: number): Promise<string> {
      const startedAt = performance.now()
      const cutShort = new AbortController()
      const drained = end('SIGTERM').finally(() => cutShort.abort())
      const waited = pause(killAfterMs ?? drainDeadlineMs, 'too long', { signal: cutShort.signal })
      const outcome = await Promise.race([drained, waited.catch(() => drained)])
      if (outcome === 'too long') await end('SIGKILL')
      if (killAfterMs === undefined && outcome === 'too long') {
        record({ type: 'overdue', tookMs: Math.round(performance.now() - startedAt) })
      } else if (killAfterMs === undefined && outcome !== 'code 0') {
        record({ type: 'crashed', how: `drain ended with ${outcome}` })
      }
      return outcome
    },
    async close(): Promise<void> {
      await end('SIGKILL')
      await new Promise((resolve) => log.end(resolve))
    },
  }
}

function answersReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ port, host: '127.0.0.1', path: probes.ready, agent: false, timeout: 2_000 }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve(false))
  })
}
