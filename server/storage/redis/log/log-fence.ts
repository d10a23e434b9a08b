import { setTimeout as sleep } from 'node:timers/promises'
import type { Cursor } from '../../../../contract/messages.ts'
import type { RedisConnection, RedisReply } from '../redis-connection.ts'
import { RedisError } from '../redis-error.ts'
import { runScript } from '../redis-script.ts'
import { readServerFacts } from '../server-facts.ts'
import { fenceScript, metaFields, metaKey } from './log-scripts.ts'
import { type Found, type LogState, randomToken } from './log-state.ts'

/** How long one that cannot bear witness waits for a node that can, before the log goes on under a new epoch. */
const witnessMs = 2_000
const askEveryMs = 200

/** A server that takes nothing just now can still be heard: where nothing has changed, nothing is written. */
async function readMeta(connection: RedisConnection): Promise<Found & { run: string }> {
  const reply = await connection.command(['HMGET', metaKey, ...metaFields])
  const [epoch, head, oldest, run, stamp] = Array.isArray(reply) ? reply : []
  return { ...foundIn([epoch, head, oldest, stamp]), run: String(run) }
}

const foundIn = ([epoch, head, oldest, stamp]: readonly (RedisReply | undefined)[]): Found => ({
  epoch: String(epoch),
  head: Number(head),
  oldest: Number(oldest),
  stamp: Number(stamp),
})

/** By the log's own word. Where it is not the log that is known here, whoever asks next connects anew, and looks. */
export async function askStand(connection: RedisConnection, state: LogState, known: string): Promise<Cursor> {
  const found = await readMeta(connection)
  if (found.epoch !== known || found.run !== state.run()) {
    connection.close()
    throw new RedisError('The log in Redis is not the one that was read.')
  }
  state.note(found)
  return { epoch: found.epoch, seq: found.head }
}

const holdsAll = (state: LogState, { epoch, head, stamp }: Found) =>
  epoch === state.stand().epoch && head >= state.seen() && stamp >= state.stamp()

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
    const found = await readMeta(connection)
    if (facts.run === found.run && facts.run === state.run() && holdsAll(state, found)) {
      return state.adopt(facts.run, found)
    }
    const decideAtMs = performance.now() + witnessMs
    for (;;) {
      const force = performance.now() >= decideAtMs
      const run = state.run()
      const seen = run === null ? [] : [state.stand().epoch, run, state.seen(), state.stamp()]
      const args = [facts.run, randomToken(), isSure ? 1 : 0, force ? 1 : 0, state.name, ...seen]
      const reply = await runScript(connection, fenceScript, [metaKey], args)
      const answer = Array.isArray(reply) ? reply : []
      if (answer[0] !== 'unknown') return state.adopt(facts.run, foundIn(answer))
      await sleep(askEveryMs)
    }
  }
}
