import { randomUUID } from 'node:crypto'
import type { Socket } from 'socket.io-client'
import { events } from '../../contract/events.ts'
import type { ChatMessage, Cursor, SendAck } from '../../contract/messages.ts'
import type { PresenceDelta, PresenceVersion } from '../../contract/presence.ts'

export type JournalEntry =
  | { kind: 'cursor'; seq: number }
  | { kind: 'message'; seq: number }
  | { kind: 'ack'; seq: number }
  | { kind: 'list'; version: number }
  | { kind: 'delta'; from: number; version: number }

/** Records what one socket receives, in order. Closes the socket after `closeAfterMessages` messages. */
export function keepJournal(socket: Socket, closeAfterMessages: number | null) {
  const journal: JournalEntry[] = []
  let messages = 0
  socket.on(events.cursor, ({ seq }: Cursor) => journal.push({ kind: 'cursor', seq }))
  socket.on(events.onlineUsers, (_ids: string[], { version }: PresenceVersion) =>
    journal.push({ kind: 'list', version }),
  )
  socket.on(events.onlineUsersDelta, ({ from, version }: PresenceDelta) =>
    journal.push({ kind: 'delta', from, version }),
  )
  socket.on(events.receiveMessage, (_message: ChatMessage, { seq }: Cursor) => {
    journal.push({ kind: 'message', seq })
    if (++messages === closeAfterMessages) socket.close()
  })

  return {
    socket,
    journal,
    closes: closeAfterMessages !== null,
    send(message: string): void {
      const payload: ChatMessage = { username: 'alice', message, createdTime: 1 }
      socket.emit(events.sendMessage, payload, { id: randomUUID() }, (ack: SendAck) => {
        if (ack.ok) journal.push({ kind: 'ack', seq: ack.seq })
      })
    },
    hasSeen: (seq: number) => journal.some((entry) => entry.kind === 'message' && entry.seq === seq),
  }
}

export type JournalClient = ReturnType<typeof keepJournal>

/** Returns the ordering errors in a journal; an empty list if there are none. */
export function orderFaults(journal: readonly JournalEntry[]): string[] {
  const faults: string[] = []
  const acked = new Set(journal.filter(({ kind }) => kind === 'ack').map((entry) => 'seq' in entry && entry.seq))
  const ackedSoFar = new Set<number>()
  let seq: number | null = null
  let version: number | null = null
  for (const entry of journal) {
    if (entry.kind === 'cursor') {
      if (seq !== null) faults.push(`placed a second time, at ${entry.seq}`)
      seq = entry.seq
    } else if (entry.kind === 'message') {
      if (entry.seq !== (seq ?? Number.NaN) + 1) faults.push(`message ${entry.seq} after ${seq}`)
      if (acked.has(entry.seq) && !ackedSoFar.has(entry.seq)) faults.push(`message ${entry.seq} before its ack`)
      seq = entry.seq
    } else if (entry.kind === 'ack') ackedSoFar.add(entry.seq)
    else if (entry.kind === 'list') {
      if (entry.version < (version ?? 0)) faults.push(`list ${entry.version} after ${version}`)
      version = entry.version
    } else {
      if (entry.from !== version) faults.push(`delta from ${entry.from} at ${version}`)
      version = entry.version
    }
  }
  return faults
}
