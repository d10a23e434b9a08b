import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cursor } from '../../../contract/messages.ts'
import type { RedisConnection } from '../../redis/redis-connection.ts'
import { RedisError } from '../../redis/redis-error.ts'
import { runScript } from '../../redis/redis-script.ts'
import { readServerFacts } from '../../redis/server-facts.ts'
import { fenceScript, metaKey } from './log-scripts.ts'
import type { LogState } from './log-state.ts'

/** How long one that cannot bear witness waits for a node that can, before the log goes on under a new epoch. */
const witnessMs = 2_000
const askEveryMs = 200

/** Short, because every message carries it. */
const newEpoch = () => randomBytes(6).toString('base64url')

/** A server that takes nothing just now can still be heard: where nothing has changed, nothing is written. */
async function readMeta(connection: RedisConnection): Promise<[string, number, number, string]> {
  const reply = await connection.command(['HMGET', metaKey, 'epoch', 'head', 'oldest', 'run'])
  const [epoch, head, oldest, run] = Array.isArray(reply) ? reply : []
  return [String(epoch), Number(head), Number(oldest), String(run)]
}

/** By the log's own word. Where it is not the log that is known here, whoever asks next connects anew, and looks. */
export async function askStand(connection: RedisConnection, state: LogState, known: string): Promise<Cursor> {
  const [epoch, head, oldest, run] = await readMeta(connection)
  if (epoch !== known || run !== state.run()) {
    connection.close()
    throw new RedisError('The log in Redis is not the one that was read.')
  }
  state.note({ epoch, head, oldest })
  return { epoch, seq: head }
}

/**
 * On every new connection, before it is used: which life of the server it leads to, and whether that one still has all
 * that this node has seen. "It holds less than I have seen" would not be enough: after a failover that lost some seqs
 * another node may have filled them again before this one looks.
 */
export function createLogFence(state: LogState) {
  return async (connection: RedisConnection): Promise<void> => {
    const facts = await readServerFacts(connection)
    if (facts.isReplica) throw new RedisError('Redis has become a replica, and takes nothing.')
    const isSure = !facts.wasPromoted && facts.weaknesses.length === 0
    const [epoch, head, oldest, run] = await readMeta(connection)
    if (run === facts.run && run === state.run() && epoch === state.stand().epoch && head >= state.seen()) {
      return state.adopt(run, { epoch, head, oldest })
    }
    const decideAtMs = performance.now() + witnessMs
    for (;;) {
      const force = performance.now() >= decideAtMs
      const run = state.run()
      const seen = run === null ? [] : [state.stand().epoch, run, state.seen()]
      const args = [facts.run, newEpoch(), isSure ? 1 : 0, force ? 1 : 0, ...seen]
      const reply = await runScript(connection, fenceScript, [metaKey], args)
      const [epoch, head, oldest] = Array.isArray(reply) ? reply : []
      if (epoch !== 'unknown') {
        state.adopt(facts.run, { epoch: String(epoch), head: Number(head), oldest: Number(oldest) })
        return
      }
      await sleep(askEveryMs)
    }
  }
}
