import type { RedisReply } from '../../server/redis/redis-connection.ts'
import { appendScript, checkScript, fenceScript } from '../../server/room/redis/log-scripts.ts'

export interface StreamEntry {
  seq: number
  username: string
  message: string
  createdTime: string
}

interface Meta {
  epoch: string
  head: number
  oldest: number
  run: string
  hops: { run: string; head: number }[]
}

/** What the keys of the room hold. An epoch that is over leaves nothing behind. */
export interface Held {
  meta: Meta | null
  entries: StreamEntry[]
  ids: Map<string, number>
}

export const holdsNothing = (): Held => ({ meta: null, entries: [], ids: new Map() })

/** The rules of the room's scripts (`log-scripts.ts`), which `tests/server/redis-log.test.ts` proves on a real Redis. */
export function runPlayedScript(
  held: Held,
  sha1: string,
  args: readonly string[],
  onUnwitnessed: () => void,
): RedisReply {
  if (sha1 === fenceScript.sha1) return fence(held, args, onUnwitnessed)
  const { meta } = held
  const [epoch, run, ...rest] = args
  if (meta === null || meta.epoch !== epoch || meta.run !== run) return ['fenced']
  if (sha1 === checkScript.sha1) {
    trim(held, meta, Number(rest[1]))
    return ['ok', `${meta.head}`, `${meta.oldest}`]
  }
  if (sha1 !== appendScript.sha1) throw new Error('a script that nobody plays')
  if (meta.head < Number(rest[0])) return ['fenced']
  const outcomes: string[] = []
  for (let at = 3; at < rest.length; at += 6) outcomes.push(appendOne(held, meta, rest.slice(at, at + 6)))
  trim(held, meta, Number(rest[2]))
  return ['ok', `${meta.head}`, `${meta.oldest}`, ...outcomes]
}

function appendOne({ entries, ids }: Held, meta: Meta, fields: readonly string[]): string {
  const [id = '', username = '', message = '', createdTime = '', afterEpoch = '', afterSeq] = fields
  const known = ids.get(id)
  if (known !== undefined) {
    const entry = entries.find(({ seq }) => seq === known)
    return entry?.message === message && entry.createdTime === createdTime ? `=${known}` : 'id_conflict'
  }
  if (afterEpoch !== '') {
    const after = Number(afterSeq)
    if (afterEpoch !== meta.epoch || after < meta.oldest - 1 || after > meta.head) return 'expired'
  }
  const seq = ++meta.head
  entries.push({ seq, username, message, createdTime })
  ids.set(id, seq)
  return `${seq}`
}

function trim(held: Held, meta: Meta, maxMessages: number): void {
  meta.oldest = Math.max(meta.oldest, meta.head - maxMessages + 1)
  held.entries = held.entries.filter(({ seq }) => seq >= meta.oldest)
  for (const [id, seq] of held.ids) if (seq < meta.oldest) held.ids.delete(id)
}

function fence(held: Held, args: readonly string[], onUnwitnessed: () => void): RedisReply {
  const [facts = '', newEpoch = '', isSure, force, seenEpoch, seenRun, seen] = args
  const { meta } = held
  const seenHead = Number(seen ?? -1)
  const begin = (head: number): RedisReply => {
    const begun = { epoch: newEpoch, head, oldest: head + 1, run: facts, hops: [] }
    Object.assign(held, holdsNothing(), { meta: begun })
    return [newEpoch, `${head}`, `${head + 1}`, 'changed']
  }
  if (meta === null) return begin(seenEpoch === undefined ? 0 : Math.max(1, seenHead))
  const answer = (how: string): RedisReply => [meta.epoch, `${meta.head}`, `${meta.oldest}`, how]
  const isKnown = seenEpoch === meta.epoch
  const goesOn = () => {
    if (meta.head < seenHead) return false
    if (seenRun === meta.run) return true
    const from = meta.hops.findIndex(({ run }) => run === seenRun)
    return from !== -1 && meta.hops.slice(from).every(({ head }) => head >= seenHead)
  }
  const next = Math.max(meta.head, seenHead, 1)
  if (meta.run === facts) {
    if (!isKnown) return answer(seenEpoch === undefined ? 'same' : 'changed')
    return goesOn() ? answer('same') : begin(next)
  }
  const isLost = isSure !== '1' || (isKnown && !goesOn())
  if (!isLost && isKnown && seenRun === meta.run) {
    meta.hops.push({ run: meta.run, head: meta.head })
    meta.run = facts
    return answer('same')
  }
  if (!isLost && force !== '1') return ['unknown']
  if (!isLost) onUnwitnessed()
  return begin(next)
}
