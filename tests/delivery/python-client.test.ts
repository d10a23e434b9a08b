import { spawn, spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { events } from '../../contract/events.ts'
import type { ChatMessage, Cursor } from '../../contract/messages.ts'
import { pythonCheck } from '../../scripts/programs.ts'
import { waitForConnect, collectSocketEvents, nextEvent } from '../support/socket-events.ts'
import { startServer, type TestServer } from '../support/start-server.ts'

interface PlainClientOutput {
  connected: string[]
  message: ChatMessage[]
  online: string[][]
  ack: unknown[]
}
/** Seqs of messages in the order of the connection (`read`) and in the order of the handlers (`message`). */
interface ReturningClientOutput {
  connected: string[]
  read: number[]
  message: number[]
}

const [python, ...checkArgs] = pythonCheck
const hasPythonClient = spawnSync(python, checkArgs).status === 0
const transports = ['websocket', 'polling'] as const

/** Starts a python-socketio client as a process and collects its output in `output`. */
function startPython<T extends object>(script: string, args: readonly string[], output: T) {
  const path = new URL(`clients/${script}`, import.meta.url).pathname
  const child = spawn(python, [path, ...args], { stdio: ['pipe', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let errors = ''
  createInterface({ input: child.stdout }).on('line', (text) => {
    const { kind, value } = JSON.parse(text) as { kind: keyof T; value: unknown }
    ;(output[kind] as unknown[]).push(value)
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  return {
    send: (text: string) => child.stdin.write(`${text}\n`),
    leave: () => child.stdin.end(),
    ended,
    errors: () => errors,
    output,
  }
}

test.skipIf(!hasPythonClient).each(transports)(
  'WIRE-2 a python-socketio client with handlers of one argument sends and receives over %s',
  async (transport) => {
    const server = await startServer()
    const node = await waitForConnect(server.client({ auth: { channel: 'messages' } }))
    const receivedByNode = collectSocketEvents<[ChatMessage]>(node, events.receiveMessage)
    const output: PlainClientOutput = { connected: [], message: [], online: [], ack: [] }
    const client = startPython('plain_client.py', [server.url, transport], output)
    await expect.poll(() => client.output.connected).toHaveLength(1)
    const ids = [node.id, ...client.output.connected].toSorted()
    await expect.poll(() => client.output.online.at(-1)?.toSorted()).toStrictEqual(ids)

    client.send('hello from python')
    await expect.poll(() => client.output.ack).toStrictEqual([{ ok: true, seq: 1 }])
    await node.emitWithAck(events.sendMessage, { username: 'node', message: 'hello from node', createdTime: 2 })
    const expected = [
      { username: 'python (not loggedin)', message: 'hello from python', createdTime: 1 },
      { username: 'node (not loggedin)', message: 'hello from node', createdTime: 2 },
    ]
    await expect.poll(() => client.output.message).toStrictEqual(expected)
    await expect.poll(() => receivedByNode.seen.map(([message]) => message)).toStrictEqual(expected)

    client.leave()
    expect(await client.ended).toBe(0)
    expect(client.errors()).not.toContain('Traceback')
  },
)

const many = 500

/** Sends `count` messages at once. Resolves when all are stored. */
async function sendBurst(server: TestServer, count: number): Promise<void> {
  const sender = await waitForConnect(server.client({ auth: { channel: 'messages' } }))
  const message: ChatMessage = { username: 'node', message: 'hello', createdTime: 1 }
  const acks = Array.from({ length: count }, () => sender.emitWithAck(events.sendMessage, message))
  for (const ack of await Promise.all(acks)) expect(ack).toMatchObject({ ok: true })
}

test.skipIf(!hasPythonClient).each(transports)(
  `WIRE-4 python-socketio over %s receives ${many} replayed, then ${many} live messages, then those of a restart: each once, in order`,
  async (transport) => {
    const first = await startServer({ MESSAGES_PER_SECOND: '0' })
    const [start] = await nextEvent<[Cursor]>(first.client({ auth: { channel: 'messages' } }), events.cursor)
    await sendBurst(first, many)
    const output: ReturningClientOutput = { connected: [], read: [], message: [] }
    const client = startPython('returning_client.py', [first.url, transport, JSON.stringify(start)], output)
    const hasRead = async (count: number) => {
      await expect.poll(() => output.read.length).toBeGreaterThanOrEqual(count)
      const all = Array.from({ length: count }, (_, index) => index + 1)
      expect(output.read).toStrictEqual(all)
      await expect.poll(() => output.message.toSorted((a, b) => a - b)).toStrictEqual(all)
    }
    await hasRead(many)
    await sendBurst(first, many)
    await hasRead(2 * many)
    expect(output.connected).toHaveLength(1)

    // The drain begins before the client has read most of the burst.
    await sendBurst(first, many)
    await first.drain()
    const { port } = new URL(first.url)
    const second = await startServer({ MESSAGES_PER_SECOND: '0', DATA_DIR: first.dataDir, PORT: port })
    await sendBurst(second, many)
    await hasRead(4 * many)
    expect(output.connected).toHaveLength(2)
    expect(client.errors()).not.toContain('Traceback')
  },
)
