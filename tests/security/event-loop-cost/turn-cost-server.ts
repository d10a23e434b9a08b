import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serverFlags } from '../../../scripts/server-flags.mjs'
import { serverEntry } from '../../support/server-entry.ts'
import { readMemory } from '../fuzz/memory.ts'
import { openedAt } from '../measure/measured-server.ts'
import { encodeFrame, opcodes, upgradeRequest } from '../web-socket-frames.ts'

const turnCost = new URL('../measure/turn-cost.ts', import.meta.url).href
const finalEvent = '42999["final event"]'

/** Starts the server as a process that reports the cost of its most expensive turn and of all turns. */
export async function startTurnCostServer(settings: NodeJS.ProcessEnv = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'chat-room-cost-'))
  const child: ChildProcess = fork(serverEntry, {
    execArgv: [...serverFlags, '--import', turnCost],
    env: { ...process.env, PORT: '0', DATA_DIR: dataDir, TRUST_PROXY: '127.0.0.1', LOG_LEVEL: 'info', ...settings },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const url = await openedAt(child)
  const port = Number(new URL(url).port)

  function open(): Socket {
    const socket = connect(port, '127.0.0.1')
    return socket.on('error', () => undefined)
  }

  /** Opens a WebSocket in the room and collects what it receives. */
  async function joinRoom(
    auth: string,
    address = '',
  ): Promise<{ socket: Socket; waitForText: (text: string) => Promise<unknown> }> {
    const socket = open().setEncoding('latin1')
    let text = ''
    socket.on('data', (chunk: string) => (text += chunk))
    const waitForText = async (wanted: string) => {
      while (!text.includes(wanted) && !socket.closed) await waitForEvent(socket, 'data', 'close')
    }
    socket.write(upgradeRequest(undefined, address === '' ? '' : `X-Forwarded-For: ${address}\r\n`))
    await waitForText('0{"sid"')
    socket.write(encodeFrame(opcodes.text, `40${auth}`))
    await waitForText('40{"sid"')
    return { socket, waitForText }
  }

  async function readCost(): Promise<{ worstMs: number; totalMs: number }> {
    const reply = once(child, 'message')
    child.send('turn')
    const [cost] = (await reply) as [{ worstMs: number; totalMs: number }]
    return cost
  }

  return {
    url,
    open,
    memoryBytes: () => readMemory(child.pid ?? 0),
    /** Returns the cost of the most expensive turn since the last call of this function or of `processorMs`. */
    takeWorstTurnMs: async (): Promise<number> => (await readCost()).worstMs,
    /** Returns the CPU time that the thread of the event loop has used since its start. */
    processorMs: async (): Promise<number> => (await readCost()).totalMs,
    /** Writes these bytes and waits until the server closes the connection. */
    async send(bytes: string | Buffer): Promise<void> {
      const socket = open().resume()
      socket.write(bytes)
      await waitForEvent(socket, 'close')
    },
    join: joinRoom,
    /** Writes these frames on a connection in the room and waits until they are processed or the connection closes. */
    async sendFrames(frames: Buffer, auth = ''): Promise<void> {
      const { socket, waitForText } = await joinRoom(auth)
      await this.takeWorstTurnMs()
      socket.write(frames)
      socket.write(encodeFrame(opcodes.text, finalEvent))
      await waitForText('43999')
      socket.destroy()
    },
    async close(): Promise<void> {
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

export type TurnCostServer = Awaited<ReturnType<typeof startTurnCostServer>>

/**
 * Waits for the first of these events and removes its listeners. Unlike `once` of `node:events`, it ignores errors,
 * because the server closes a flooding connection.
 */
function waitForEvent(socket: Socket, ...names: ('data' | 'close')[]): Promise<void> {
  return new Promise((resolve) => {
    const onEvent = () => {
      for (const name of names) socket.off(name, onEvent)
      resolve()
    }
    for (const name of names) socket.on(name, onEvent)
  })
}
