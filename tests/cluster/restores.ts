import { randomUUID } from 'node:crypto'
import { copyFileSync, existsSync } from 'node:fs'
import { io } from 'socket.io-client'
import { events } from '../../contract/events.ts'
import type { ChatMessage, Cursor, SendAck } from '../../contract/messages.ts'
import { headFileOf } from '../../server/storage/sqlite/head-file.ts'
import { createClusterSetup } from '../faults/cluster-setup.ts'
import { createServerSetup } from '../faults/server-setup.ts'
import { waitFor } from '../faults/wait-for.ts'

const [keptCount, lostCount, newCount] = [50, 30, 60]
const timeoutMs = 60_000

interface Room {
  port: number
  backUp(): Promise<unknown>
  /** Replaces the log with the copy that `backUp` made. */
  restore(): Promise<unknown>
  close(): Promise<void>
}

async function openCluster(areNodesStopped: boolean): Promise<Room> {
  const setup = await createClusterSetup(3, 100_000)
  await setup.start()
  return {
    port: setup.port,
    backUp: async () => setup.redis.backUp(),
    async restore() {
      if (areNodesStopped) await Promise.all(setup.nodes.map(({ server }) => server.drain()))
      await setup.redis.restore()
      if (areNodesStopped) await setup.start()
    },
    async close() {
      await setup.close()
      await setup.remove()
    },
  }
}

/**
 * Opens a single server whose `restore` replaces all files of the message log in place with an earlier copy, as
 * restoring a snapshot of the virtual machine does.
 */
async function openSingleServer(): Promise<Room> {
  const setup = await createServerSetup()
  const files = ['', '-wal', '-shm'].map((suffix) => `${setup.messagesFile}${suffix}`)
  const copyWhileStopped = async (copy: (file: string) => void) => {
    await setup.server.drain()
    for (const file of [...files, headFileOf(setup.messagesFile)]) copy(file)
    await setup.start()
  }
  await setup.start()
  return {
    port: setup.port,
    backUp: () => copyWhileStopped((file) => existsSync(file) && copyFileSync(file, `${file}.earlier`)),
    restore: () => copyWhileStopped((file) => existsSync(`${file}.earlier`) && copyFileSync(`${file}.earlier`, file)),
    async close() {
      await setup.close()
      await setup.remove()
    },
  }
}

/** Rooms by the way in which an older copy of the log replaces the log. */
export const restores: Readonly<Record<string, () => Promise<Room>>> = {
  'Redis restored, nodes stopped': () => openCluster(true),
  'Redis restored, nodes running': () => openCluster(false),
  'folder of SQLite rolled back': () => openSingleServer(),
}

/** Connects a client that records the messages that it receives. */
async function join(port: number, cursor?: Cursor) {
  const received: { text: string; position: Cursor }[] = []
  const socket = io(`http://127.0.0.1:${port}`, {
    transports: ['websocket'],
    forceNew: true,
    auth: { channel: 'messages', cursor },
  })
  const placed = new Promise<Cursor>((resolve) => void socket.once(events.cursor, resolve))
  socket.on(events.receiveMessage, ({ message: text }: ChatMessage, position: Cursor) =>
    received.push({ text, position }),
  )
  const confirmed = await placed
  async function sendOne(text: string): Promise<void> {
    const message: ChatMessage = { username: 'alice', message: text, createdTime: 1 }
    for (const id = randomUUID(); ;) {
      const ack = (await socket.timeout(timeoutMs).emitWithAck(events.sendMessage, message, { id })) as SendAck
      if (ack.ok) return
      if (ack.code !== 'unavailable') throw new Error(`rejected: ${ack.code}`)
    }
  }
  return {
    confirmed,
    sendAll: async (texts: readonly string[]) => {
      for (const text of texts) await sendOne(text)
    },
    receive: async (count: number) => {
      await waitFor(`${count} messages`, () => received.length >= count, { timeoutMs })
      return received
    },
    close: () => socket.close(),
  }
}

const numbered = (name: string, count: number) => Array.from({ length: count }, (_, index) => `${name} ${index}`)

/**
 * Stores messages, restores a copy that lacks the last messages, and stores more messages than were lost. Returns a line
 * for each returning client that received other messages than expected or no notification of the loss.
 */
export async function checkRestore(open: () => Promise<Room>): Promise<string[]> {
  const room = await open()
  const problems: string[] = []
  const [kept, added] = [numbered('kept', keptCount), numbered('new', newCount)]
  try {
    const before = await join(room.port)
    await before.sendAll(kept)
    const keptPositions = (await before.receive(keptCount)).map(({ position }) => position)
    before.close()
    await room.backUp()
    const ahead = await join(room.port, keptPositions.at(-1))
    await ahead.sendAll(numbered('lost', lostCount))
    const lostPositions = (await ahead.receive(lostCount)).map(({ position }) => position)
    ahead.close()
    await room.restore()
    const sender = await join(room.port)
    await sender.sendAll(added)
    sender.close()

    const expectToReceive = async (cursor: Cursor, expected: readonly string[]) => {
      const client = await join(room.port, cursor)
      const texts = (await client.receive(expected.length)).map(({ text }) => text)
      client.close()
      if (texts.join() !== expected.join()) problems.push(`the client at ${cursor.seq} received ${texts.join()}`)
      return client.confirmed
    }
    for (const position of lostPositions) {
      const confirmed = await expectToReceive(position, added)
      const isNotified = confirmed.epoch !== position.epoch || confirmed.seq !== position.seq
      if (!isNotified) problems.push(`the client at ${position.seq} was not notified`)
    }
    for (const [index, position] of keptPositions.entries()) {
      if (index % 10 === 9) await expectToReceive(position, [...kept.slice(index + 1), ...added])
    }
  } finally {
    await room.close()
  }
  return problems
}
