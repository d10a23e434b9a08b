import { spawn, spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { events } from '../../contract/events.ts'
import type { ChatMessage } from '../../contract/messages.ts'
import { pythonCheck } from '../../scripts/programs.ts'
import { connected, gather } from '../support/listening.ts'
import { startServer } from '../support/start-server.ts'

interface Told {
  connected: string[]
  message: ChatMessage[]
  online: string[][]
  ack: unknown[]
}
type Line = { [Kind in keyof Told]: { kind: Kind; value: Told[Kind][number] } }[keyof Told]

const [python, ...checkArgs] = pythonCheck
const isThere = spawnSync(python, checkArgs).status === 0
const script = new URL('clients/plain_client.py', import.meta.url).pathname

/** A python-socketio client as a process of its own, and all that it tells. */
function startPython(url: string, transport: string) {
  const child = spawn(python, [script, url, transport], { stdio: ['pipe', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const told: Told = { connected: [], message: [], online: [], ack: [] }
  let errors = ''
  createInterface({ input: child.stdout }).on('line', (text) => {
    const { kind, value } = JSON.parse(text) as Line
    ;(told[kind] as unknown[]).push(value)
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  return {
    send: (text: string) => child.stdin.write(`${text}\n`),
    leave: () => child.stdin.end(),
    ended,
    errors: () => errors,
    told,
  }
}

test.skipIf(!isThere).each(['websocket', 'polling'])(
  'WIRE-2 a python-socketio client with handlers of one argument takes full part over %s',
  async (transport) => {
    const server = await startServer()
    const node = await connected(server.client({ auth: { channel: 'messages' } }))
    const heardByNode = gather<[ChatMessage]>(node, events.receiveMessage)
    const client = startPython(server.url, transport)
    await expect.poll(() => client.told.connected).toHaveLength(1)
    const ids = [node.id, ...client.told.connected].toSorted()
    await expect.poll(() => client.told.online.at(-1)?.toSorted()).toStrictEqual(ids)

    client.send('hello from python')
    await expect.poll(() => client.told.ack).toStrictEqual([{ ok: true, seq: 1 }])
    await node.emitWithAck(events.sendMessage, { username: 'node', message: 'hello from node', createdTime: 2 })
    const heard = [
      { username: 'python (not loggedin)', message: 'hello from python', createdTime: 1 },
      { username: 'node (not loggedin)', message: 'hello from node', createdTime: 2 },
    ]
    await expect.poll(() => client.told.message).toStrictEqual(heard)
    await expect.poll(() => heardByNode.seen.map(([message]) => message)).toStrictEqual(heard)

    client.leave()
    expect(await client.ended).toBe(0)
    expect(client.errors()).not.toContain('Traceback')
  },
)
