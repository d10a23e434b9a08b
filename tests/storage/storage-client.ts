import { randomUUID } from 'node:crypto'
import { io, type Socket } from 'socket.io-client'
import { expect, onTestFinished } from 'vitest'
import { events } from '../../contract/events.ts'
import type { ChatMessage, Cursor, SendAck } from '../../contract/messages.ts'
import { collectSocketEvents, nextEvent } from '../support/socket-events.ts'

type Received = [ChatMessage, Cursor]

export const rejected = {
  ok: false,
  code: 'unavailable',
  message: expect.any(String),
  retryAfterMs: expect.any(Number),
}

export async function send(socket: Socket, text: string, id: string = randomUUID()): Promise<SendAck> {
  const message: ChatMessage = { username: 'alice', message: text, createdTime: 1 }
  return (await socket.timeout(20_000).emitWithAck(events.sendMessage, message, { id })) as SendAck
}

/** Sends this text, with a new id each time, until the server acknowledges it. Returns the seq. */
export async function sendUntilStored(socket: Socket, text: string): Promise<number> {
  let ack: SendAck | undefined
  await expect.poll(async () => (ack = await send(socket, text)).ok, { timeout: 20_000 }).toBe(true)
  return ack?.ok === true ? ack.seq : 0
}

export async function status(url: string): Promise<number> {
  const response = await fetch(url, { signal: AbortSignal.timeout(20_000) })
  await response.arrayBuffer()
  return response.status
}

/** Connects a client that records what it receives. `cursor` is the position of a client that reconnects. */
export async function join(url: string, cursor?: Cursor) {
  const socket = io(url, { transports: ['websocket'], forceNew: true, auth: { channel: 'messages', cursor } })
  onTestFinished(() => void socket.close())
  const cursors = collectSocketEvents<[Cursor]>(socket, events.cursor)
  const messages = collectSocketEvents<Received>(socket, events.receiveMessage)
  const [placed] = await nextEvent<[Cursor]>(socket, events.cursor, 20_000)
  return {
    socket,
    placed,
    cursors,
    /** Waits until this many messages have arrived. Returns seq and text of all received messages. */
    async received(count: number): Promise<[seq: number, text: string][]> {
      await messages.atLeast(count, 20_000)
      return messages.seen.map(([{ message }, { seq }]) => [seq, message])
    },
    /** Waits until this many messages have arrived. Returns the position of the last received message. */
    async lastPosition(count: number): Promise<Cursor | undefined> {
      await messages.atLeast(count, 20_000)
      return messages.seen.at(-1)?.[1]
    },
  }
}
