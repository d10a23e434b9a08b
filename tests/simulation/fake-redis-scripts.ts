import type { RedisReply } from '../../server/storage/redis/redis-connection.ts'
import type { Removal } from '../../server/room/removals.ts'
import { removeScript } from '../../server/storage/redis/log/removal-scripts.ts'
import {
  appendScript,
  boundsScript,
  checkScript,
  readScript,
  replaceStateScript,
  takeOverScript,
} from '../../server/storage/redis/log/log-scripts.ts'

export interface StreamEntry {
  seq: number
  term: string
  text: string
  storedAtMs: number
}

interface LogFields {
  run: string
  term: string
  head: number
  oldest: number
  log: string
  lineage: string
}

interface LogTime {
  nowMs: number
  offsetMs: number
  heldMs: number
  heldAtMs: number
}

/** Event of the cluster bus. Its id is `0-<counter>`. */
interface BusEvent {
  counter: number
  fields: string[]
}

/** Content of the Redis keys of the room. */
export interface RedisState {
  fields: LogFields | null
  time: LogTime | null
  entries: StreamEntry[]
  ids: Map<string, number>
  removals: Removal[]
  events: BusEvent[]
}

const clockGraceMs = 3_600_000
const argsPerEntry = 3

export const createEmptyState = (): RedisState => ({
  fields: null,
  time: null,
  entries: [],
  ids: new Map(),
  removals: [],
  events: [],
})

/** Implements `removeScript` and the scripts of `log-scripts.ts`, which `tests/storage` tests on a real Redis. */
export function runFakeScript(state: RedisState, sha1: string, args: readonly string[], wallMs: number): RedisReply {
  const { fields } = state
  if (sha1 === takeOverScript.sha1) return null
  if (sha1 === readScript.sha1) {
    if (fields === null) return []
    return [fields.run, `${fields.head}`, `${fields.oldest}`, fields.log, fields.lineage, `${countRemovals(state)}`]
  }
  if (sha1 === replaceStateScript.sha1) {
    replaceState(state, args)
    return null
  }
  if (![appendScript, boundsScript, checkScript, removeScript].some((script) => script.sha1 === sha1))
    throw new Error(`unsupported script ${sha1}`)
  const [run, term, knownHead, timeLimit = '', maxAgeMs, maxMessages, ...rest] = args
  if (fields === null || fields.run !== run || fields.term !== term || fields.head < Number(knownHead)) return ['stale']
  if (sha1 === boundsScript.sha1) return ['ok', `${fields.head}`, `${fields.oldest}`, '', `${countRemovals(state)}`]
  const [processedNonce = ''] = rest
  if (sha1 === appendScript.sha1 && processedNonce !== (state.events.at(-1)?.fields[3] ?? '')) return ['behind']
  const time = advanceTime(state.time, wallMs, timeLimit)
  state.time = time
  const outcomes = sha1 === removeScript.sha1 ? removeAll(state, rest) : appendAll(state, fields, rest, time.nowMs)
  trim(state, fields, time.nowMs - Number(maxAgeMs), Number(maxMessages))
  return ['ok', `${fields.head}`, `${fields.oldest}`, `${time.nowMs}`, ...outcomes]
}

function appendAll(state: RedisState, fields: LogFields, rest: readonly string[], nowMs: number): string[] {
  const outcomes: string[] = []
  // The first argument is the nonce of the last processed event.
  for (let offset = 1; offset < rest.length; offset += argsPerEntry)
    outcomes.push(appendOne(state, fields, rest.slice(offset, offset + argsPerEntry), nowMs))
  return outcomes
}

const countRemovals = ({ removals }: RedisState) => removals.at(-1)?.removals ?? 0

/** Removes the texts of the messages. Returns the total number of removals, and the seqs that this call removed. */
function removeAll(state: RedisState, [removedText = '', ...seqs]: readonly string[]): string[] {
  const removed = state.entries.filter(({ seq, text }) => seqs.includes(`${seq}`) && !isRemoved(text))
  for (const entry of removed) {
    const [sender = '', body = ''] = entry.text.split('\n')
    entry.text = `${sender.slice(0, -1)},1]\n[${removedText}${body.slice(body.lastIndexOf(','))}`
  }
  const count = countRemovals(state) + removed.length
  if (removed.length > 0) state.removals.push({ removals: count, seqs: removed.map(({ seq }) => seq) })
  return [`${count}`, ...removed.map(({ seq }) => `${seq}`)]
}

const isRemoved = (text: string) => text.includes(',1]\n')
const timeOf = (text: string) => text.slice(text.lastIndexOf(','))

function replaceState(state: RedisState, [run, term, head, ...named]: readonly string[]): void {
  const { fields } = state
  const current = fields === null ? ['', '', ''] : [fields.run, fields.term, `${fields.head}`]
  if (current.join(' ') !== [run, term, head].join(' ')) return
  const value = (name: string) => named[named.indexOf(name) + 1] ?? ''
  state.fields = {
    run: value('run'),
    term: value('term'),
    head: Number(value('head')),
    oldest: Number(value('oldest')),
    log: value('log'),
    lineage: value('lineage'),
  }
}

function advanceTime(before: LogTime | null, wallMs: number, limit: string): LogTime {
  let { nowMs, heldMs, heldAtMs } = before ?? { nowMs: wallMs, heldMs: 0, heldAtMs: 0 }
  const dueMs = wallMs - (before?.offsetMs ?? 0)
  if (dueMs < nowMs) heldMs = Math.max(0, heldMs - (nowMs - dueMs))
  else if (limit !== '') nowMs = Math.max(nowMs, Math.min(dueMs, Number(limit)))
  else if (dueMs - nowMs <= clockGraceMs) nowMs = dueMs
  else [heldMs, heldAtMs] = [heldMs + dueMs - nowMs, nowMs]
  if (heldMs > 0 && nowMs - heldAtMs > clockGraceMs) [nowMs, heldMs] = [nowMs + heldMs, 0]
  return { nowMs, offsetMs: wallMs - nowMs, heldMs, heldAtMs }
}

function appendOne(
  { entries, ids }: RedisState,
  fields: LogFields,
  [id = '', text = '', after = '']: readonly string[],
  storedAtMs: number,
): string {
  const known = ids.get(id)
  if (known !== undefined) {
    const stored = entries.find(({ seq }) => seq === known)
    if (stored === undefined) return 'id_conflict'
    const isSame = isRemoved(stored.text) ? timeOf(stored.text) === timeOf(text) : bodyOf(stored.text) === bodyOf(text)
    return isSame ? `=${known}` : 'id_conflict'
  }
  if (after !== '' && (Number(after) < fields.oldest - 1 || Number(after) > fields.head)) return 'expired'
  const seq = ++fields.head
  entries.push({ seq, term: fields.term, text, storedAtMs })
  if (id !== '') ids.set(id, seq)
  return `${seq}`
}

const bodyOf = (text: string) => text.slice(text.indexOf('\n'))

function trim(state: RedisState, fields: LogFields, olderThanMs: number, maxMessages: number): void {
  const expired = state.entries.findLast(({ storedAtMs }) => storedAtMs < olderThanMs)?.seq ?? 0
  fields.oldest = Math.max(fields.oldest, fields.head - maxMessages + 1, expired + 1)
  state.entries = state.entries.filter(({ seq }) => seq >= fields.oldest)
  for (const [id, seq] of state.ids) if (seq < fields.oldest) state.ids.delete(id)
}
