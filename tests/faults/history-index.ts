import type { Cursor } from '../../contract/messages.ts'
import type { ClientRole, History } from './history.ts'

/** Facts about one message, from the histories of all clients. */
export interface MessageRecord {
  key: string
  sender: string
  count: number
  body: string
  sentAt: number
  ackedAt?: number
  ackedSeqs: Set<number>
  /** Epoch of the sender's cursor when it received the acknowledgement. */
  ackedEpoch?: string
  /** Time of the first acknowledgement or delivery, which proves that the message was stored. */
  knownAt: number
  /** Position from the first delivery that carries a position. */
  position?: Cursor
  /** Positions from all deliveries. A message that a restore lost gets another position when its sender repeats it. */
  positions: Cursor[]
}

export interface Gap {
  at: number
  from: Cursor
  to: Cursor
}

interface Delivery {
  at: number
  key: string
  body: string
  /** Index into `ClientRecord.sessions`. */
  session: number
  position?: Cursor
}

/** Connections, deliveries and gaps of one client, from its history. */
export interface ClientRecord {
  name: string
  role: ClientRole
  openedAt: number
  /**
   * Connections of the client. `start` is the first cursor, and `since` the time at which that cursor arrived. Without
   * a cursor, `since` is the time of the connection. A second cursor of a plain client starts another entry.
   */
  sessions: { since: number; start?: Cursor }[]
  deliveries: Delivery[]
  gaps: Gap[]
}

export interface HistoryIndex {
  messages: Map<string, MessageRecord>
  clients: ClientRecord[]
  /** Content of the log after the run; `null` if the test did not read it. */
  stored: StoredRecord[] | null
  /** Times at which the log was restored to an older state or wiped. */
  restoredAt: number[]
  /** Time of the last restore whose loss the server itself could prove. */
  provableAt: number | null
  /** Times of the restores whose loss the server itself may have been unable to prove. */
  unprovableAt: number[]
}

/** Returns a key of a position. After a restore, a seq can occur again, but not in the same term. */
export const formatPosition = ({ epoch, seq, term }: Cursor) => `${term ?? epoch}:${seq}`

/** Returns whether the client was notified of a gap between two times. Messages may repeat after a gap. */
export const hadGapBetween = ({ gaps }: ClientRecord, from: number, to: number) =>
  gaps.some(({ at }) => at >= from && at <= to)

/**
 * Returns whether a message sent before a restore is missing from the final log. The retention may also have trimmed
 * it.
 */
export function wasLostInRestore({ stored, restoredAt }: HistoryIndex, { key, sentAt }: MessageRecord): boolean {
  return stored !== null && restoredAt.some((at) => at >= sentAt) && !stored.some((record) => record.key === key)
}

interface StoredRecord {
  key: string
  body: string
  position: Cursor
}

export function indexHistories(histories: readonly History[]): HistoryIndex {
  const messages = new Map<string, MessageRecord>()
  for (const history of histories) readSender(history, messages)
  const clients = histories.flatMap((history) => readReceiver(history) ?? [])
  for (const { deliveries } of clients) {
    for (const { key, at, position } of deliveries) {
      const message = messages.get(key)
      if (message === undefined) continue
      message.knownAt = Math.min(message.knownAt, at)
      if (position === undefined) continue
      message.position ??= position
      message.positions.push(position)
    }
  }
  const events = histories.flatMap((history) => history.events)
  const wasRead = events.some((event) => event.type === 'opened' && event.role === 'log')
  const stored = events.flatMap((event) => {
    if (event.type !== 'stored') return []
    const { key, body, epoch, seq, term } = event
    return [{ key, body, position: { epoch, seq, ...(term !== undefined && { term }) } }]
  })
  const restores = events.filter((event) => event.type === 'restored')
  const restoredAt = restores.map(({ at }) => at)
  const provableAt = restores.findLast(({ provenBy }) => provenBy === 'server')?.at ?? null
  const unprovableAt = restores.filter(({ provenBy }) => provenBy === 'clients').map(({ at }) => at)
  return { messages, clients, stored: wasRead ? stored : null, restoredAt, provableAt, unprovableAt }
}

function readSender({ name, events }: History, messages: Map<string, MessageRecord>): void {
  let epoch: string | undefined
  for (const event of events) {
    if (event.type === 'cursor' || event.type === 'received') epoch = event.epoch ?? epoch
    if (event.type === 'sent' && !messages.has(event.key)) {
      const { key, body, at } = event
      const count = Number(key.slice(key.lastIndexOf('/') + 1))
      messages.set(key, {
        key,
        sender: name,
        count,
        body,
        sentAt: at,
        knownAt: Infinity,
        ackedSeqs: new Set(),
        positions: [],
      })
    }
    if (event.type !== 'acked') continue
    const message = messages.get(event.key)
    if (message === undefined)
      throw new Error(`${name} received an acknowledgement of ${event.key}, which it never sent`)
    message.ackedAt ??= event.at
    if (epoch !== undefined) message.ackedEpoch ??= epoch
    message.knownAt = Math.min(message.knownAt, event.at)
    if (event.seq !== undefined) message.ackedSeqs.add(event.seq)
  }
}

function readReceiver({ name, events }: History): ClientRecord | null {
  const [opened] = events
  if (opened?.type !== 'opened') throw new Error(`the history of ${name} does not start with an 'opened' event`)
  if (opened.role === 'server' || opened.role === 'log') return null
  const client: ClientRecord = { name, role: opened.role, openedAt: opened.at, sessions: [], deliveries: [], gaps: [] }
  for (const event of events) {
    const session = client.sessions.at(-1)
    if (event.type === 'connected') client.sessions.push({ since: event.at })
    if (event.type === 'gap') client.gaps.push({ at: event.at, from: event.from, to: event.to })
    if (event.type === 'cursor' && session !== undefined) {
      const { at, epoch, seq } = event
      const cursor = { epoch, seq }
      if (session.start === undefined) {
        session.since = at
        session.start = cursor
      } else if (client.role === 'plain') {
        // A plain client never sends `resume`. A second cursor reports a gap: a new epoch, or trimmed messages.
        const last = client.deliveries.findLast((delivery) => delivery.session === client.sessions.length - 1)
        client.gaps.push({ at, from: last?.position ?? session.start, to: cursor })
        client.sessions.push({ since: at, start: cursor })
      }
    }
    if (event.type === 'received') {
      const { at, key, body, epoch, seq, term } = event
      const cursor =
        epoch === undefined || seq === undefined ? null : { epoch, seq, ...(term !== undefined && { term }) }
      const position = cursor && { position: cursor }
      client.deliveries.push({ at, key, body, session: client.sessions.length - 1, ...position })
    }
  }
  return client
}
