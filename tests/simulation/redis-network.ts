import { withDeadline } from '../../server/base/with-deadline.ts'
import type { OpenRedisConnection, RedisConnection } from '../../server/storage/redis/redis-connection.ts'
import { RedisError } from '../../server/storage/redis/redis-error.ts'
import type { Random } from '../faults/random.ts'
import { createPipe, type LinkProfile } from './network.ts'
import type { FakeRedis } from './fake-redis.ts'
import type { Owner, VirtualTime } from './virtual-time.ts'

/**
 * Profiles of links to Redis. Each connection draws its own profile, so that one connection of a node may lag behind
 * another.
 */
const linkProfiles: readonly LinkProfile[] = [
  { latencyMs: [0, 2], pauseChance: 0, pauseMs: [0, 0] },
  { latencyMs: [0, 5], pauseChance: 0.03, pauseMs: [20, 1_500] },
  { latencyMs: [30, 300], pauseChance: 0.01, pauseMs: [200, 4_000] },
]
const timeoutMs = 3_000
const failureChance = 0.003

/** Cut of the connections of a node to Redis. */
export interface Cut {
  node: number
  untilMs: number
  /** Connections to cut: the reader of the stream, the connection of the log that runs commands, or all of the node. */
  connections: 'reader' | 'log' | 'all'
  /** Whether the network drops packets without notifying either side. */
  isSilent: boolean
}

interface Line {
  node: number
  name: string
  cut(isSilent: boolean): void
}

/** Simulates the connections of all nodes to Redis. */
export function createRedisNetwork(time: VirtualTime, random: Random, redis: FakeRedis) {
  const lines = new Set<Line>()
  let cuts: Cut[] = []
  let downUntilMs = 0

  const isCut = (cut: Cut, node: number, name: string) =>
    cut.node === node && (cut.connections === 'all' || name.endsWith(cut.connections))

  function openLine(node: number, name: string, owner: Owner): RedisConnection {
    const profile = random.pick(linkProfiles)
    const up = createPipe(time, random, { profile })
    const down = createPipe(time, random, { profile, owner })
    const unanswered = new Set<(error: Error) => void>()
    let isConnected = true
    const line: Line = {
      node,
      name,
      cut(isSilent) {
        up.cut()
        down.cut()
        lines.delete(line)
        if (isConnected && !isSilent) time.after(random.whole(0, 20), close, owner)
      },
    }
    lines.add(line)

    /**
     * Closes the connection on the side of the node. Redis may still receive commands in transit, but not after a
     * restart.
     */
    function close(): void {
      isConnected = false
      for (const reject of unanswered) reject(new RedisError('The connection is closed.'))
      unanswered.clear()
    }

    function request(args: readonly string[]): Promise<Awaited<ReturnType<RedisConnection['command']>>> {
      return new Promise((resolve, reject) => {
        if (!isConnected) return reject(new RedisError('The connection is closed.'))
        unanswered.add(reject)
        const isFailing = args[0] === 'EVALSHA' && random.chance(failureChance)
        const respond = (complete: () => void) =>
          down.send(() => {
            unanswered.delete(reject)
            complete()
          })
        up.send(() => {
          if (isFailing) respond(() => reject(new RedisError('MISCONF Redis cannot persist just now')))
          else redis.run(args, (reply) => respond(() => resolve(reply)))
        })
      })
    }

    return {
      command: (args) =>
        withDeadline(request(args), timeoutMs, () => {
          close()
          return new RedisError('Redis did not reply in time.')
        }),
      isOpen: () => isConnected,
      close,
    }
  }

  return {
    /** Returns the function that opens connections for one process of a node. */
    connectAs:
      (node: number, owner: Owner): OpenRedisConnection =>
      (_url, name) =>
        new Promise((resolve, reject) => {
          const rejectConnection = () => reject(new RedisError('Redis cannot be reached.'))
          const arrive = () => {
            cuts = cuts.filter(({ untilMs }) => untilMs > time.nowMs())
            const cut = cuts.find((one) => isCut(one, node, name))
            if (cut?.isSilent === true) time.after(timeoutMs, rejectConnection, owner)
            else if (cut !== undefined || time.nowMs() < downUntilMs) rejectConnection()
            else resolve(openLine(node, name, owner))
          }
          time.after(random.whole(0, 5), arrive, owner)
        }),
    sever(cut: Cut): void {
      cuts.push(cut)
      for (const line of lines) if (isCut(cut, line.node, line.name)) line.cut(cut.isSilent)
    },
    /** Cuts all connections and rejects new connections for the given time. */
    takeDown(downMs: number): void {
      downUntilMs = time.nowMs() + downMs
      for (const line of lines) line.cut(false)
    },
  }
}
