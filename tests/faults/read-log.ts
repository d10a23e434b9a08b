import { io, type Socket } from 'socket.io-client'
import { type ClientToServerEvents, events, type ServerToClientEvents } from '../../contract/events.ts'
import type { Cursor } from '../../contract/messages.ts'
import { connectionOptions } from './client.ts'
import { bodyOf, type HistoryWriter, keyOf, removedMark } from './history.ts'
import { waitFor } from './wait-for.ts'

interface ReadLogOptions {
  port: number
  history: HistoryWriter
  /** Key of the last message of the run. */
  until: string
  retainedMessages: number
}

/** Records the whole log after a run, from its oldest message on. */
export async function readLog({ port, history, until, retainedMessages }: ReadLogOptions): Promise<void> {
  history.record({ type: 'opened', role: 'log' })
  const head = await confirmCursor(port, null)
  const start = await findOldestCursor(port, head, Math.max(0, head.seq - retainedMessages))
  const socket = connect(port, start)
  let isDone = false
  socket.on(events.receiveMessage, (payload, position) => {
    history.record({ type: 'stored', key: keyOf(payload), body: bodyOf(payload), ...removedMark(payload), ...position })
    if (keyOf(payload) === until) isDone = true
  })
  socket.connect()
  try {
    await waitFor('the last message of the log', () => isDone, { timeoutMs: 60_000 })
  } finally {
    socket.disconnect()
    await history.close()
  }
}

function connect(port: number, cursor: Cursor | null): Socket<ServerToClientEvents, ClientToServerEvents> {
  return io(`http://127.0.0.1:${port}`, {
    ...connectionOptions('websocket'),
    auth: { channel: 'messages', ...(cursor && { cursor }) },
  })
}

/**
 * Finds the oldest cursor that the log confirms, by binary search. A log that replaced a lost log may start at a higher seq than 1.
 */
async function findOldestCursor(port: number, { epoch, seq: head }: Cursor, lowest: number): Promise<Cursor> {
  let [unreachable, reachable] = [lowest - 1, head]
  for (let seq = lowest; unreachable + 1 < reachable; seq = (unreachable + reachable) >> 1) {
    const confirmed = await confirmCursor(port, { epoch, seq })
    if (confirmed.epoch === epoch && confirmed.seq === seq) reachable = seq
    else unreachable = seq
  }
  return { epoch, seq: reachable }
}

async function confirmCursor(port: number, cursor: Cursor | null): Promise<Cursor> {
  const socket = connect(port, cursor)
  try {
    return await new Promise((resolve) => {
      socket.once(events.cursor, resolve)
      socket.connect()
    })
  } finally {
    socket.disconnect()
  }
}
