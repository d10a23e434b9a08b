import type { RedisReply } from '../../server/storage/redis/redis-connection.ts'
import { startLineage } from '../../server/room/lineage.ts'
import { removalsKey, streamKey } from '../../server/storage/redis/log/log-scripts.ts'
import { busKey } from '../../server/storage/redis/redis-bus.ts'
import { type RedisState, createEmptyState, runFakeScript, type StreamEntry } from './fake-redis-scripts.ts'
import type { VirtualTime } from './virtual-time.ts'

interface BlockedRead {
  args: readonly string[]
  respond: (reply: RedisReply) => void
}

/** Settings that the log requires. */
const settings = {
  appendonly: 'yes',
  appendfsync: 'always',
  'no-appendfsync-on-rewrite': 'no',
  'maxmemory-policy': 'noeviction',
}

export type FakeRedis = ReturnType<typeof createFakeRedis>

/**
 * Simulates the part of Redis that the log and the cluster bus use. Each command is atomic. A restart changes the run
 * id.
 */
export function createFakeRedis(time: VirtualTime) {
  let runNumber = 1
  // The initial state is a room whose only message was deleted. The tests rely on the runs of certain seeds, which depend
  // on this state.
  const lineage = startLineage(2, 'first')
  const named = { run: 'run-1:replication-1', term: lineage[0].id, log: 'log', lineage: JSON.stringify(lineage) }
  let state: RedisState = { ...createEmptyState(), fields: { ...named, head: 1, oldest: 2 } }
  let clockJumpMs = 0
  let backup = structuredClone(state)
  let wasPromoted = false
  let blockedReads: BlockedRead[] = []

  function execute(args: readonly string[]): RedisReply {
    const [command, ...rest] = args
    switch (command) {
      case 'INFO':
        return rest[0] === 'server'
          ? `redis_version:7.0.15\r\nrun_id:run-${runNumber}\r\n`
          : `role:master\r\nmaster_replid:replication-${runNumber}\r\nmaster_replid2:${wasPromoted ? 'another' : '0'}\r\n`
      case 'CONFIG':
        return Object.entries(settings).flat()
      case 'HMGET':
        return rest.slice(1).map((seq) => state.entries.find((entry) => entry.seq === Number(seq))?.text ?? null)
      case 'EVALSHA': {
        const wallMs = Math.floor(time.dateNow() + clockJumpMs)
        const reply = runFakeScript(state, rest[0] ?? '', rest.slice(2 + Number(rest[1])), wallMs)
        wake()
        return reply
      }
      case 'XADD':
        state.events.push({ counter: (state.events.at(-1)?.counter ?? 0) + 1, fields: rest.slice(5) })
        wake()
        return null
      case 'XREVRANGE':
        return eventsBetween(0, Infinity).slice(-1)
      case 'XRANGE':
        if (rest[0] === busKey)
          return eventsBetween(lowestCounter(rest[1]), rest[2] === '+' ? Infinity : counterOf(rest[2]))
        return entriesOf(
          rest[0],
          rest[1] === '-' ? 0 : Number(rest[1]),
          rest[2] === '+' ? Infinity : Number(rest[2]),
          Number(rest[4]),
        )
      default:
        throw new Error(`unsupported command ${command}`)
    }
  }

  /** Runs `XREAD COUNT n BLOCK ms STREAMS key ... id ...`. */
  function readStream(args: readonly string[]): RedisReply {
    const words = args.slice(6)
    const keys = words.slice(0, words.length / 2)
    const found = keys.map((key, index): [string, RedisReply[]] => {
      const id = words[keys.length + index] ?? ''
      if (key === busKey) return [key, eventsBetween(counterOf(id) + 1, Infinity)]
      const after = Number.parseInt(id, 10)
      return [key, entriesOf(key, after + 1, Infinity, Number(args[2]))]
    })
    const streams = found.filter(([, entries]) => entries.length > 0)
    return streams.length === 0 ? null : streams
  }

  const eventsBetween = (from: number, to: number): RedisReply[] =>
    state.events
      .filter(({ counter }) => counter >= from && counter <= to)
      .map(({ counter, fields }) => [`0-${counter}`, fields])

  function entriesOf(key: string | undefined, from: number, to: number, count: number): RedisReply[] {
    if (state.fields === null) return []
    if (key === removalsKey(state.fields.log)) {
      const removals = state.removals.filter((one) => one.removals >= from)
      return removals.map((one) => [`${one.removals}-0`, ['seqs', one.seqs.join(), 's', '0']])
    }
    if (key !== streamKey(state.fields.log)) return []
    return state.entries
      .filter(({ seq }) => seq >= from && seq <= to)
      .slice(0, count)
      .map(replyOf)
  }

  function wake(): void {
    for (const { args, respond } of blockedReads) {
      const reply = readStream(args)
      if (reply !== null) respond(reply)
    }
    blockedReads = blockedReads.filter(({ args }) => readStream(args) === null)
  }

  function startNewRun(isPromoted = false): void {
    runNumber++
    blockedReads = []
    wasPromoted = isPromoted
  }

  return {
    run(args: readonly string[], respond: (reply: RedisReply) => void): void {
      if (args[0] !== 'XREAD') return respond(execute(args))
      const reply = readStream(args)
      if (reply !== null) return respond(reply)
      const waiting: BlockedRead = { args, respond }
      blockedReads.push(waiting)
      time.after(Number(args[4]), () => {
        if (!blockedReads.includes(waiting)) return
        blockedReads = blockedReads.filter((other) => other !== waiting)
        respond(null)
      })
    },
    backUp(): void {
      backup = structuredClone(state)
    },
    /** Deletes everything, without a reply to blocked reads. */
    wipe(): void {
      state = createEmptyState()
    },
    /** Starts a new run with the same content. */
    restart: () => startNewRun(),
    /** Starts a new run with older content: from a stale replica that is promoted, or from a backup. */
    restore({ isPromoted }: { isPromoted: boolean }): void {
      startNewRun(isPromoted)
      state = structuredClone(backup)
    },
    /** Changes the clock by this time. */
    jumpClock(ms: number): void {
      clockJumpMs += ms
    },
    state: () => state,
  }
}

const counterOf = (id = '') => Number(id.split('-')[1])
/** Returns the counter of the first event of a range. A `(` before the id excludes the event with that id. */
const lowestCounter = (id = '') => counterOf(id) + (id.startsWith('(') ? 1 : 0)

const replyOf = ({ seq, term, storedAtMs }: StreamEntry): RedisReply => [`${seq}-0`, ['e', term, 's', `${storedAtMs}`]]
