import type { RedisReply } from '../../server/storage/redis/redis-connection.ts'
import { appendScript, checkScript, epochCheckScript } from '../../server/storage/redis/log/log-scripts.ts'

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

/** Content of the keys of the room. The keys of an old epoch are deleted with it. */
export interface RedisState {
  meta: Meta | null
  entries: StreamEntry[]
  ids: Map<string, number>
  /** Stamp of the last write of each node. */
  writers: Map<string, number>
  /** The run that each node has confirmed. */
  confirmations: Map<string, string>
}

const writerTimeoutMs = 10_000

export const createEmptyState = (): RedisState => ({
  meta: null,
  entries: [],
  ids: new Map(),
  writers: new Map(),
  confirmations: new Map(),
})

interface ScriptContext {
  nowMs: number
  onForcedEpoch: () => void
}

/** Implements the scripts of `log-scripts.ts`, which `tests/storage/redis-log.test.ts` tests on a real Redis. */
export function runFakeScript(
  state: RedisState,
  sha1: string,
  args: readonly string[],
  { nowMs, onForcedEpoch }: ScriptContext,
): RedisReply {
  if (sha1 === epochCheckScript.sha1) return checkEpoch(state, args, { nowMs, onForcedEpoch })
  const { meta } = state
  const [epoch, run, name = '', stamp, , maxMessages, ...rest] = args
  if (meta === null || meta.epoch !== epoch || meta.run !== run) return ['stale']
  if (meta.stamp < Number(stamp)) return ['stale']
  if (sha1 !== appendScript.sha1 && sha1 !== checkScript.sha1) throw new Error(`unsupported script ${sha1}`)
  meta.stamp = Math.max(meta.stamp + 1, nowMs)
  state.writers.set(name, meta.stamp)
  const outcomes: string[] = []
  for (let offset = 0; offset < rest.length; offset += 6)
    outcomes.push(appendOne(state, meta, rest.slice(offset, offset + 6)))
  trim(state, meta, Number(maxMessages))
  return ['ok', `${meta.head}`, `${meta.oldest}`, `${meta.stamp}`, ...outcomes]
}

function appendOne({ entries, ids }: RedisState, meta: Meta, fields: readonly string[]): string {
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

function trim(state: RedisState, meta: Meta, maxMessages: number): void {
  meta.oldest = Math.max(meta.oldest, meta.head - maxMessages + 1)
  state.entries = state.entries.filter(({ seq }) => seq >= meta.oldest)
  for (const [id, seq] of state.ids) if (seq < meta.oldest) state.ids.delete(id)
}

function checkEpoch(state: RedisState, args: readonly string[], { nowMs, onForcedEpoch }: ScriptContext): RedisReply {
  const [serverRun = '', newEpoch = '', keepsAllWrites, force, name = '', knownEpoch, knownRun, ...known] = args
  const { meta } = state
  const [knownHead, knownStamp] = [Number(known[0] ?? -1), Number(known[1] ?? -1)]
  const startEpoch = (head: number): RedisReply => {
    const started = { epoch: newEpoch, head, oldest: head + 1, run: serverRun, stamp: nowMs, hops: [] }
    Object.assign(state, createEmptyState(), { meta: started, writers: new Map([[name, nowMs]]) })
    return [newEpoch, `${head}`, `${head + 1}`, `${started.stamp}`]
  }
  if (meta === null) return startEpoch(knownEpoch === undefined ? 0 : Math.max(1, knownHead))
  const snapshot = (): RedisReply => [meta.epoch, `${meta.head}`, `${meta.oldest}`, `${meta.stamp}`]
  const isKnownEpoch = knownEpoch === meta.epoch
  const hasAllKnownWrites = () => {
    if (meta.stamp < knownStamp || meta.head < knownHead) return false
    if (knownRun === meta.run) return true
    const from = meta.hops.findIndex(({ run }) => run === knownRun)
    return from !== -1 && meta.hops.slice(from).every(({ head, stamp }) => head >= knownHead && stamp >= knownStamp)
  }
  const next = Math.max(meta.head, knownHead, 1)
  if (meta.run === serverRun) {
    if (isKnownEpoch && !hasAllKnownWrites()) return startEpoch(next)
    if (knownEpoch === undefined) state.writers.set(name, meta.stamp)
    return snapshot()
  }
  const isLost = keepsAllWrites !== '1' || (isKnownEpoch && !hasAllKnownWrites())
  if (isKnownEpoch) state.confirmations.set(name, serverRun)
  const recentWriters = [...state.writers].filter(([, stamp]) => stamp >= meta.stamp - writerTimeoutMs)
  const isConfirmedByAll =
    recentWriters.length > 0 && recentWriters.every(([writer]) => state.confirmations.get(writer) === serverRun)
  if (!isLost && isKnownEpoch && isConfirmedByAll) {
    meta.hops.push({ run: meta.run, head: meta.head, stamp: meta.stamp })
    meta.run = serverRun
    return snapshot()
  }
  if (!isLost && force !== '1') return ['unknown']
  if (!isLost) onForcedEpoch()
  return startEpoch(next)
}
