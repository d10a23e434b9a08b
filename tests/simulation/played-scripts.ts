import type { RedisReply } from '../../server/redis/redis-connection.ts'
import { appendScript, checkScript, fenceScript } from '../../server/room/redis/log-scripts.ts'

export interface StreamEntry {
  seq: number
  username: string
  message: string
  createdTime: string
  stamp: number
}

interface Meta {
  epoch: string
  head: number
  oldest: number
  run: string
  stamp: number
  hops: { run: string; head: number; stamp: number }[]
}

/** What the keys of the room hold. An epoch that is over leaves nothing behind. */
export interface Held {
  meta: Meta | null
  entries: StreamEntry[]
  ids: Map<string, number>
  /** The stamp of each node's last write. */
  writers: Map<string, number>
  /** The run for which each node has borne witness. */
  witnesses: Map<string, string>
}

const writerMs = 10_000

export const holdsNothing = (): Held => ({
  meta: null,
  entries: [],
  ids: new Map(),
  writers: new Map(),
  witnesses: new Map(),
})

interface Surroundings {
  nowMs: number
  onUnwitnessed: () => void
}

/** The rules of the room's scripts (`log-scripts.ts`), which `tests/storage/redis-log.test.ts` proves on a real Redis. */
export function runPlayedScript(
  held: Held,
  sha1: string,
  args: readonly string[],
  { nowMs, onUnwitnessed }: Surroundings,
): RedisReply {
  if (sha1 === fenceScript.sha1) return fence(held, args, { nowMs, onUnwitnessed })
  const { meta } = held
  const [epoch, run, name = '', stamp, , maxMessages, ...rest] = args
  if (meta === null || meta.epoch !== epoch || meta.run !== run) return ['fenced']
  if (meta.stamp < Number(stamp)) return ['fenced']
  if (sha1 !== appendScript.sha1 && sha1 !== checkScript.sha1) throw new Error('a script that nobody plays')
  meta.stamp = Math.max(meta.stamp + 1, nowMs)
  held.writers.set(name, meta.stamp)
  const outcomes: string[] = []
  for (let at = 0; at < rest.length; at += 6) outcomes.push(appendOne(held, meta, rest.slice(at, at + 6)))
  trim(held, meta, Number(maxMessages))
  return ['ok', `${meta.head}`, `${meta.oldest}`, `${meta.stamp}`, ...outcomes]
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
  entries.push({ seq, username, message, createdTime, stamp: meta.stamp })
  ids.set(id, seq)
  return `${seq}`
}

function trim(held: Held, meta: Meta, maxMessages: number): void {
  meta.oldest = Math.max(meta.oldest, meta.head - maxMessages + 1)
  held.entries = held.entries.filter(({ seq }) => seq >= meta.oldest)
  for (const [id, seq] of held.ids) if (seq < meta.oldest) held.ids.delete(id)
}

function fence(held: Held, args: readonly string[], { nowMs, onUnwitnessed }: Surroundings): RedisReply {
  const [facts = '', newEpoch = '', isSure, force, name = '', seenEpoch, seenRun, ...seen] = args
  const { meta } = held
  const [seenHead, seenStamp] = [Number(seen[0] ?? -1), Number(seen[1] ?? -1)]
  const begin = (head: number): RedisReply => {
    const begun = { epoch: newEpoch, head, oldest: head + 1, run: facts, stamp: nowMs, hops: [] }
    Object.assign(held, holdsNothing(), { meta: begun, writers: new Map([[name, nowMs]]) })
    return [newEpoch, `${head}`, `${head + 1}`, `${begun.stamp}`]
  }
  if (meta === null) return begin(seenEpoch === undefined ? 0 : Math.max(1, seenHead))
  const answer = (): RedisReply => [meta.epoch, `${meta.head}`, `${meta.oldest}`, `${meta.stamp}`]
  const isKnown = seenEpoch === meta.epoch
  const goesOn = () => {
    if (meta.stamp < seenStamp || meta.head < seenHead) return false
    if (seenRun === meta.run) return true
    const from = meta.hops.findIndex(({ run }) => run === seenRun)
    return from !== -1 && meta.hops.slice(from).every(({ head, stamp }) => head >= seenHead && stamp >= seenStamp)
  }
  const next = Math.max(meta.head, seenHead, 1)
  if (meta.run === facts) {
    if (isKnown && !goesOn()) return begin(next)
    if (seenEpoch === undefined) held.writers.set(name, meta.stamp)
    return answer()
  }
  const isLost = isSure !== '1' || (isKnown && !goesOn())
  if (isKnown) held.witnesses.set(name, facts)
  const named = [...held.writers].filter(([, stamp]) => stamp >= meta.stamp - writerMs)
  const allBearWitness = named.length > 0 && named.every(([writer]) => held.witnesses.get(writer) === facts)
  if (!isLost && isKnown && allBearWitness) {
    meta.hops.push({ run: meta.run, head: meta.head, stamp: meta.stamp })
    meta.run = facts
    return answer()
  }
  if (!isLost && force !== '1') return ['unknown']
  if (!isLost) onUnwitnessed()
  return begin(next)
}
