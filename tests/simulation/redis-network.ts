import { withDeadline } from '../../server/base/with-deadline.ts'
import type { OpenRedisConnection, RedisConnection } from '../../server/storage/redis/redis-connection.ts'
import { RedisError } from '../../server/storage/redis/redis-error.ts'
import type { Random } from '../faults/random.ts'
import { createPipe, type Weather } from './network.ts'
import type { PlayedRedis } from './fake-redis.ts'
import type { Owner, VirtualTime } from './virtual-time.ts'

/** How a node hears and is heard: each of its connections draws its own, so that one of them may be behind the other. */
const weathers: readonly Weather[] = [
  { latencyMs: [0, 2], pauseChance: 0, pauseMs: [0, 0] },
  { latencyMs: [0, 5], pauseChance: 0.03, pauseMs: [20, 1_500] },
  { latencyMs: [30, 300], pauseChance: 0.01, pauseMs: [200, 4_000] },
]
const deadlineMs = 3_000
const failureChance = 0.003

/** A cut is told to both sides, or nothing comes any more and nobody says so. */
export interface Cut {
  node: number
  untilMs: number
  /** Which of the node's connections: the one that hears, the one that asks, or both. */
  connections: 'reader' | 'log' | 'all'
  isSilent: boolean
}

interface Line {
  node: number
  name: string
  cut(isSilent: boolean): void
}

/** The connections of all nodes to the one Redis. */
export function createRedisNetwork(time: VirtualTime, random: Random, redis: PlayedRedis) {
  const lines = new Set<Line>()
  let cuts: Cut[] = []
  let downUntilMs = 0

  const isCut = (cut: Cut, node: number, name: string) =>
    cut.node === node && (cut.connections === 'all' || name.endsWith(cut.connections))

  function openLine(node: number, name: string, owner: Owner): RedisConnection {
    const weather = random.pick(weathers)
    const up = createPipe(time, random, { weather })
    const down = createPipe(time, random, { weather, owner })
    const unanswered = new Set<(error: Error) => void>()
    let open = true
    const line: Line = {
      node,
      name,
      cut(isSilent) {
        up.cut()
        down.cut()
        lines.delete(line)
        if (!isSilent) time.after(random.whole(0, 20), close, owner)
      },
    }
    lines.add(line)

    function close(): void {
      open = false
      lines.delete(line)
      for (const reject of unanswered) reject(new RedisError('The connection is closed.'))
      unanswered.clear()
    }

    function ask(words: readonly string[]): Promise<Awaited<ReturnType<RedisConnection['command']>>> {
      return new Promise((resolve, reject) => {
        if (!open) return reject(new RedisError('The connection is closed.'))
        unanswered.add(reject)
        const fails = words[0] === 'EVALSHA' && random.chance(failureChance)
        const answered = (settle: () => void) =>
          down.send(() => {
            unanswered.delete(reject)
            settle()
          })
        up.send(() => {
          if (fails) answered(() => reject(new RedisError('MISCONF Redis cannot persist just now')))
          else redis.ask(words, (reply) => answered(() => resolve(reply)))
        })
      })
    }

    return {
      command: (words, patienceMs = deadlineMs) =>
        withDeadline(ask(words), patienceMs, () => {
          close()
          return new RedisError('Redis has not answered in time.')
        }),
      isOpen: () => open,
      close,
    }
  }

  return {
    /** For one life of a node. */
    connectAs:
      (node: number, owner: Owner): OpenRedisConnection =>
      (_url, name) =>
        new Promise((resolve, reject) => {
          const refuse = () => reject(new RedisError('Redis cannot be reached.'))
          const arrive = () => {
            cuts = cuts.filter(({ untilMs }) => untilMs > time.nowMs())
            const cut = cuts.find((one) => isCut(one, node, name))
            if (cut?.isSilent === true) time.after(deadlineMs, refuse, owner)
            else if (cut !== undefined || time.nowMs() < downUntilMs) refuse()
            else resolve(openLine(node, name, owner))
          }
          time.after(random.whole(0, 5), arrive, owner)
        }),
    sever(cut: Cut): void {
      cuts.push(cut)
      for (const line of lines) if (isCut(cut, line.node, line.name)) line.cut(cut.isSilent)
    },
    /** Redis is away for a while. */
    takeDown(downMs: number): void {
      downUntilMs = time.nowMs() + downMs
      for (const line of lines) line.cut(false)
    },
  }
}
