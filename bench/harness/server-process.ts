import { spawn } from 'node:child_process'
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Launch, Peer } from '../peers/peer.ts'
import { pinned, serverCore } from '../../scripts/pinning.ts'
import { findFreePort } from '../../tests/support/free-port.ts'
import { cpuMs, residentBytes } from './process-usage.ts'

function acceptsConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

export interface StartOptions {
  port?: number
  folder?: string
  /** Function that replaces the peer's own `launch`. */
  launch?: (port: number, folder: string) => Launch
  core?: number
}

/** Starts a server under test on its own core. Resolves when the server accepts connections. */
export async function startServer(peer: Peer, options: StartOptions = {}) {
  const port = options.port ?? (await findFreePort())
  const ownsFolder = options.folder === undefined
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), `bench-${peer.id}-`))
  const { command, env, canCollectGarbage } = (options.launch ?? peer.launch)(port, folder)
  const [program, args] = pinned(options.core ?? serverCore, command)
  const logFile = join(folder, 'server.log')
  const log = openSync(logFile, 'a')
  const child = spawn(program, args, { stdio: ['ignore', log, log], env: { ...process.env, ...env } })
  let isRunning = true
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => {
      isRunning = false
      resolve()
    })
  })
  child.on('error', () => undefined)
  // Without this handler, the server keeps running after an interrupted or failed bench, and its folder remains.
  const killOnExit = () => {
    if (isRunning) child.kill('SIGKILL')
    if (ownsFolder) rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', killOnExit)
  const pid = child.pid
  if (pid === undefined) throw new Error(`server not started: ${peer.label}, cannot run ${program}`)

  async function stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (isRunning) process.kill(pid!, signal)
    const killTimer = setTimeout(() => isRunning && process.kill(pid!, 'SIGKILL'), 15_000)
    await exited
    clearTimeout(killTimer)
    process.off('exit', killOnExit)
    if (ownsFolder) rmSync(folder, { recursive: true, force: true })
  }

  const deadlineMs = Date.now() + 20_000
  while (!(await acceptsConnections(port))) {
    if (isRunning && Date.now() < deadlineMs) {
      await wait(10)
      continue
    }
    const lines = readFileSync(logFile, 'utf8').trim().split('\n').slice(-5).join('\n')
    await stop('SIGKILL')
    throw new Error(`server not started: ${peer.label}\n${lines}`)
  }

  /** Returns the resident memory, after garbage collections if the server can run them on request. */
  async function bytesAfterGc(): Promise<number> {
    for (let round = 0; round < (canCollectGarbage ? 3 : 0); round++) {
      process.kill(pid!, 'SIGUSR2')
      await wait(400)
    }
    await wait(600)
    return residentBytes(pid!)
  }

  return {
    port,
    cpuMs: () => cpuMs(pid),
    bytesAfterGc,
    stop,
  }
}
