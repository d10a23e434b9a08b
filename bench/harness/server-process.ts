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

function accepts(port: number): Promise<boolean> {
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
  /** Another way to start the same peer. */
  launchOn?: (port: number, folder: string) => Launch
  core?: number
}

/** Starts a server under test on its own core and waits until it accepts connections. */
export async function startServer(peer: Peer, options: StartOptions = {}) {
  const port = options.port ?? (await findFreePort())
  const ownFolder = options.folder === undefined
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), `bench-${peer.id}-`))
  const { command, env, collects } = (options.launchOn ?? peer.launch)(port, folder)
  const [program, args] = pinned(options.core ?? serverCore, command)
  const logFile = join(folder, 'server.log')
  const log = openSync(logFile, 'a')
  const child = spawn(program, args, { stdio: ['ignore', log, log], env: { ...process.env, ...env } })
  let running = true
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      running = false
      resolve()
    })
  })
  child.on('error', () => undefined)
  // A bench that is interrupted or fails must not leave a server behind.
  const abandon = () => {
    if (running) child.kill('SIGKILL')
    if (ownFolder) rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', abandon)
  const pid = child.pid
  if (pid === undefined) throw new Error(`${peer.label} could not be started: ${program}`)

  async function stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (running) process.kill(pid!, signal)
    const late = setTimeout(() => running && process.kill(pid!, 'SIGKILL'), 15_000)
    await ended
    clearTimeout(late)
    process.off('exit', abandon)
    if (ownFolder) rmSync(folder, { recursive: true, force: true })
  }

  const deadline = Date.now() + 20_000
  while (!(await accepts(port))) {
    if (running && Date.now() < deadline) {
      await wait(10)
      continue
    }
    const lines = readFileSync(logFile, 'utf8').trim().split('\n').slice(-5).join('\n')
    await stop('SIGKILL')
    throw new Error(`${peer.label} did not start\n${lines}`)
  }

  /** Memory after the garbage is gone, where the server can be told to collect it. */
  async function settledBytes(): Promise<number> {
    for (let round = 0; round < (collects ? 3 : 0); round++) {
      process.kill(pid!, 'SIGUSR2')
      await wait(400)
    }
    await wait(600)
    return residentBytes(pid!)
  }

  return {
    peer,
    pid,
    port,
    folder,
    running: () => running,
    cpuMs: () => cpuMs(pid),
    residentBytes: () => residentBytes(pid),
    settledBytes,
    stop,
  }
}
