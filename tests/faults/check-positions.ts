import type { Cursor } from '../../contract/messages.ts'
import type { ClientRecord, Ledger } from './ledger.ts'
import type { Accuse } from './verdict.ts'

const written = ({ epoch, seq }: Cursor) => `${epoch}:${seq}`

/** Places in the log: one each, the acknowledged one, without a silent gap inside a connection, without a needless one. */
export function checkPositions(ledger: Ledger, retainedMessages: number, accuse: Accuse): void {
  const keyAt = new Map<string, string>()
  const placeOf = new Map<string, string>()
  for (const { name, receipts } of ledger.clients) {
    for (const { key, position } of receipts) {
      if (position === undefined) continue
      const place = written(position)
      const [otherKey, otherPlace] = [keyAt.get(place) ?? key, placeOf.get(key) ?? place]
      if (otherKey !== key) accuse('mismatch', name, `${otherKey} and ${key} both at ${place}`)
      if (otherPlace !== place) accuse('mismatch', name, `${key} at ${otherPlace} and at ${place}`)
      keyAt.set(place, otherKey)
      placeOf.set(key, otherPlace)
    }
  }
  for (const { key, sender, place, ackedSeqs } of ledger.messages.values()) {
    const places = new Set(place === undefined ? ackedSeqs : [...ackedSeqs, place.seq])
    if (ackedSeqs.size > 0 && places.size > 1) accuse('mismatch', sender, `${key} at ${[...places].join(', ')}`)
  }
  for (const client of ledger.clients) {
    checkHoles(client, accuse)
    checkGaps(client, ledger.restoredAt, retainedMessages, accuse)
  }
}

function checkHoles({ name, role, sessions, receipts }: ClientRecord, accuse: Accuse): void {
  // A page that returns asks again when it meets a hole: that is charged where it asks.
  if (role === 'returning') return
  let [session, last] = [-1, undefined as Cursor | undefined]
  for (const { key, position, session: current } of receipts) {
    if (current !== session) last = sessions[current]?.start
    session = current
    if (position !== undefined && last !== undefined && position.seq !== last.seq + 1) {
      accuse('hole', name, `${key} at ${position.seq} after ${last.seq}`)
    }
    last = position
  }
}

function checkGaps(
  { name, gaps }: ClientRecord,
  restoredAt: readonly number[],
  retainedMessages: number,
  accuse: Accuse,
): void {
  for (const { at, from, to } of gaps) {
    // The log is another one only where it was put back to an older state.
    const otherLog = from.epoch !== to.epoch && restoredAt.some((restored) => restored < at)
    const trimmed = from.epoch === to.epoch && to.seq - from.seq > retainedMessages
    if (!otherLog && !trimmed) accuse('gap', name, `${written(from)} to ${written(to)}`)
  }
}
