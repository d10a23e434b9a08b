import { io, type Socket } from 'socket.io-client'
import { anonymousSuffix } from '../../../contract/constants.ts'
import { events } from '../../../contract/events.ts'
import { countCharacters, maxCreatedTimeMs, maxMessageCharacters, maxNameCharacters } from '../../../contract/limits.ts'
import type { ChatMessage, Cursor } from '../../../contract/messages.ts'
import { cleanAnonymousName } from '../../../contract/names.ts'

const specified: Record<keyof ChatMessage, true> = { createdTime: true, message: true, username: true }
const specifiedFields = Object.keys(specified).toSorted().join()

/** Returns the problem of an invalid broadcast, or `null`. */
export function broadcastProblem(message: ChatMessage, accountName: string): string | null {
  if (Object.keys(message).toSorted().join() !== specifiedFields) return 'its fields'
  const { username, message: text, createdTime } = message
  if (typeof username !== 'string' || typeof text !== 'string') return 'their types'
  if (!Number.isInteger(createdTime) || createdTime < 0 || createdTime > maxCreatedTimeMs) return 'its time'
  if (text.trim() === '' || countCharacters(text) > maxMessageCharacters || !text.isWellFormed()) return 'its text'
  if (username === accountName) return null
  if (!username.endsWith(anonymousSuffix)) return 'its label'
  const name = username.slice(0, -anonymousSuffix.length)
  if (name === '' || countCharacters(name) > maxNameCharacters || cleanAnonymousName(name) !== name) return 'its name'
  return null
}

/** Connects a client that checks every broadcast and records violations. */
export async function createObserver(url: string, accountName: string) {
  const socket: Socket = io(url, {
    transports: ['websocket'],
    forceNew: true,
    reconnection: false,
    auth: { positions: true },
  })
  const findings: string[] = []
  let broadcastCount = 0
  let last: number | null = null
  // Compare every message with the awaited text, because broadcasts of fuzz cases may follow that text in the same frame.
  let awaited: string | null = null
  socket.on(events.receiveMessage, (message: ChatMessage, { seq }: Cursor) => {
    broadcastCount++
    if (message.message === awaited) awaited = null
    const problem = broadcastProblem(message, accountName)
    if (problem !== null) findings.push(`a broadcast with something wrong about ${problem}: ${JSON.stringify(message)}`)
    if (last !== null && seq !== last + 1) findings.push(`seq ${seq} followed ${last}`)
    last = seq
  })
  socket.on('disconnect', (reason) => {
    if (reason !== 'io client disconnect') findings.push(`the observer was disconnected: ${reason}`)
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('connect_error', reject)
  })

  return {
    findings,
    broadcastCount: () => broadcastCount,
    /** Sends a message and waits for its broadcast. */
    async check(text: string): Promise<void> {
      awaited = text
      const message = { username: 'observer', message: text, createdTime: Date.now() }
      const ack: { ok: boolean } = await socket.timeout(10_000).emitWithAck(events.sendMessage, message)
      if (!ack.ok) findings.push(`the observer was rejected: ${JSON.stringify(ack)}`)
      const deadline = Date.now() + 10_000
      while (ack.ok && awaited !== null && Date.now() < deadline) await new Promise((resolve) => setImmediate(resolve))
      if (ack.ok && awaited !== null) findings.push('the broadcast of the observer did not arrive')
    },
    close: () => socket.close(),
  }
}
