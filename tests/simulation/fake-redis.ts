import type { RedisReply } from '../../server/storage/redis/redis-connection.ts'
import { streamKey } from '../../server/storage/redis/log/log-scripts.ts'
import { type Held, holdsNothing, runPlayedScript, type StreamEntry } from './fake-redis-scripts.ts'
import type { VirtualTime } from './virtual-time.ts'

interface Blocked {
  words: readonly string[]
  answer: (reply: RedisReply) => void
}

/** As the log demands them. */
const settings = {
  appendonly: 'yes',
  appendfsync: 'always',
  'no-appendfsync-on-rewrite': 'no',
  'maxmemory-policy': 'noeviction',
}

export type PlayedRedis = ReturnType<typeof createPlayedRedis>

/** So much of Redis as the room's log speaks to: what it holds, and its lives. Each command is one step, as there. */
export function createPlayedRedis(time: VirtualTime, onUnwitnessed: () => void) {
  let lives = 1
  // Something was said before: a wipe that only a fresh node sees looks like a new room to a page that stands at 0.
  const meta = { epoch: 'first', head: 1, oldest: 2, run: 'run-1:replication-1', stamp: 1, hops: [] }
  let held: Held = { ...holdsNothing(), meta }
  let backup = structuredClone(held)
  let wasPromoted = false
  let blocked: Blocked[] = []

  function execute(words: readonly string[]): RedisReply {
    const [command, ...rest] = words
    switch (command) {
      case 'INFO':
        return rest[0] === 'server'
          ? `redis_version:7.0.15\r\nrun_id:run-${lives}\r\n`
          : `role:master\r\nmaster_replid:replication-${lives}\r\nmaster_replid2:${wasPromoted ? 'another' : '0'}\r\n`
      case 'CONFIG':
        return Object.entries(settings).flat()
      case 'HMGET': {
        const { meta } = held
        if (meta === null) return [null, null, null, null, null]
        return [meta.epoch, `${meta.head}`, `${meta.oldest}`, meta.run, `${meta.stamp}`]
      }
      case 'EVALSHA': {
        const reply = runPlayedScript(held, rest[0] ?? '', rest.slice(2 + Number(rest[1])), {
          nowMs: time.nowMs(),
          onUnwitnessed,
        })
        wake()
        return reply
      }
      case 'XRANGE':
        return entriesOf(rest[0], Number(rest[1]), rest[2] === '+' ? Infinity : Number(rest[2]), Number(rest[4]))
      default:
        throw new Error(`nobody plays ${command}`)
    }
  }

  /** `XREAD COUNT n BLOCK ms STREAMS key id`. */
  function readStream(words: readonly string[]): RedisReply {
    const [key, after] = words.slice(6)
    const entries = entriesOf(key, Number.parseInt(after ?? '', 10) + 1, Infinity, Number(words[2]))
    return entries.length === 0 ? null : [[key ?? '', entries]]
  }

  function entriesOf(key: string | undefined, from: number, to: number, count: number): RedisReply[] {
    if (held.meta === null || key !== streamKey(held.meta.epoch)) return []
    return held.entries
      .filter(({ seq }) => seq >= from && seq <= to)
      .slice(0, count)
      .map(replyOf)
  }

  function wake(): void {
    for (const { words, answer } of blocked) {
      const reply = readStream(words)
      if (reply !== null) answer(reply)
    }
    blocked = blocked.filter(({ words }) => readStream(words) === null)
  }

  function liveAgain(isPromoted = false): void {
    lives++
    blocked = []
    wasPromoted = isPromoted
  }

  return {
    ask(words: readonly string[], answer: (reply: RedisReply) => void): void {
      if (words[0] !== 'XREAD') return answer(execute(words))
      const reply = readStream(words)
      if (reply !== null) return answer(reply)
      const waiting: Blocked = { words, answer }
      blocked.push(waiting)
      time.after(Number(words[4]), () => {
        if (!blocked.includes(waiting)) return
        blocked = blocked.filter((other) => other !== waiting)
        answer(null)
      })
    },
    backUp(): void {
      backup = structuredClone(held)
    },
    /** Everything goes, and nobody is woken. */
    wipe(): void {
      held = holdsNothing()
    },
    /** Another life, with all that was answered. */
    restart: () => liveAgain(),
    /** Another life with older content: a replica that had not followed, and is promoted; or a backup, which looks whole. */
    restore({ isPromoted }: { isPromoted: boolean }): void {
      liveAgain(isPromoted)
      held = structuredClone(backup)
    },
    held: () => held,
  }
}

const replyOf = ({ seq, username, message, createdTime, stamp }: StreamEntry): RedisReply => [
  `${seq}-0`,
  ['u', username, 'm', message, 't', createdTime, 's', `${stamp}`],
]
