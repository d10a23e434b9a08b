import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { io, type Socket } from 'socket.io-client'
import { loadCore, pinned, serverCore } from '../../../scripts/pinning.ts'
import { serverFlags } from '../../../scripts/server-flags.mjs'
import { serverEntry } from '../../support/server-entry.ts'

const loopDelay = new URL('./loop-delay.ts', import.meta.url).href

/** Load of the event loop since the last reset. */
export interface LoopLoad {
  /** 99th percentile of the delay, in wall-clock time. */
  p99Ms: number
  /** CPU time of the most expensive turn. Unlike the delay, it does not depend on other processes. */
  worstTurnMs: number
  /** Part of `worstTurnMs` in the kernel. */
  worstTurnSystemMs: number
  /** Wall-clock time of the garbage collections that started in that turn. */
  worstTurnCollectionMs: number
  /** Share of a core that the thread of the event loop used. */
  cpuShare: number
}

/**
 * Pins this process to one core, and returns the command that pins the server to another core, so that the attack does not
 * use the core of the server. Returns a command without pinning where pinning is not possible.
 */
function pinToSeparateCore(nodeFlags: string[]): { execPath: string; execArgv: string[] } {
  const own = spawnSync('taskset', ['-a', '-c', '-p', String(loadCore), String(process.pid)], { stdio: 'ignore' })
  if (own.status !== 0) return { execPath: process.execPath, execArgv: nodeFlags }
  const [execPath, execArgv] = pinned(serverCore, [process.execPath, ...nodeFlags])
  return { execPath, execArgv }
}

interface MeasureOptions {
  /** Whether to pin this process and the server to different cores. This process stays pinned. */
  isPinned?: boolean
}

/** Starts the server as a process that trusts this machine as its proxy and reports its event loop delay. */
export async function startMeasuredServer({ isPinned = false }: MeasureOptions = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'chat-room-measure-'))
  const nodeFlags = [...serverFlags, '--import', loopDelay]
  const child: ChildProcess = fork(serverEntry, {
    ...(isPinned ? pinToSeparateCore(nodeFlags) : { execPath: process.execPath, execArgv: nodeFlags }),
    env: { ...process.env, PORT: '0', DATA_DIR: dataDir, TRUST_PROXY: '127.0.0.1', LOG_LEVEL: 'info' },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const url = await openedAt(child)
  const clients: Socket[] = []

  async function ask(request: 'reset' | 'read'): Promise<LoopLoad> {
    const reply = once(child, 'message')
    child.send(request)
    const [load] = (await reply) as [LoopLoad]
    return load
  }

  return {
    url,
    pid: child.pid ?? 0,
    resetLoopLoad: () => ask('reset'),
    readLoopLoad: () => ask('read'),
    post: (path: string, body: unknown, address = '127.0.0.1') =>
      fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
        body: JSON.stringify(body),
      }),
    async client(address: string): Promise<Socket> {
      const client = io(url, {
        transports: ['websocket'],
        forceNew: true,
        reconnection: false,
        auth: { channel: 'messages' },
        extraHeaders: { 'x-forwarded-for': address },
      })
      clients.push(client)
      await new Promise<void>((resolve, reject) => {
        client.once('connect', resolve)
        client.once('connect_error', reject)
      })
      return client
    },
    async close(): Promise<void> {
      for (const client of clients) client.close()
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

export type MeasuredServer = Awaited<ReturnType<typeof startMeasuredServer>>

export function openedAt(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    child.stdout?.on('data', (chunk) => {
      output += String(chunk)
      const port = /"url":"http:\/\/localhost:(\d+)"/.exec(output)?.[1]
      if (port !== undefined) resolve(`http://127.0.0.1:${port}`)
    })
    child.once('exit', () => reject(new Error(`the server did not open: ${output}`)))
  })
}
