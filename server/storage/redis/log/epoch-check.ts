import { setTimeout as sleep } from 'node:timers/promises'
import type { Cursor } from '../../../../contract/messages.ts'
import type { RedisConnection, RedisReply } from '../redis-connection.ts'
import { RedisError } from '../redis-error.ts'
import { runScript } from '../redis-script.ts'
import { readServerFacts } from '../server-facts.ts'
import { epochCheckScript, metaFields, metaKey } from './log-scripts.ts'
import { type LogSnapshot, type LogState, randomToken } from './log-state.ts'

/** Time to wait for other writers to confirm the log. After it, the log continues under a new epoch. */
const confirmationTimeoutMs = 2_000
const retryMs = 200

/** Reads the state of the log without a write, so that it works while Redis rejects writes. */
async function readMeta(connection: RedisConnection): Promise<LogSnapshot & { runId: string }> {
  const reply = await connection.command(['HMGET', metaKey, ...metaFields])
  const [epoch, head, oldest, runId, stamp] = Array.isArray(reply) ? reply : []
  return { ...decodeSnapshot([epoch, head, oldest, stamp]), runId: String(runId) }
}

const decodeSnapshot = ([epoch, head, oldest, stamp]: readonly (RedisReply | undefined)[]): LogSnapshot => ({
  epoch: String(epoch),
  head: Number(head),
  oldest: Number(oldest),
  stamp: Number(stamp),
})

/** Reads the head of the log from Redis. Closes the connection when Redis holds another log; the next one adopts it. */
export async function fetchHead(connection: RedisConnection, state: LogState, epoch: string): Promise<Cursor> {
  const meta = await readMeta(connection)
  if (meta.epoch !== epoch || meta.runId !== state.runId()) {
    connection.close()
    throw new RedisError('The log in Redis is not the one that was read.')
  }
  state.update(meta)
  return { epoch: meta.epoch, seq: meta.head }
}

const hasAllKnownWrites = (state: LogState, { epoch, head, stamp }: LogSnapshot) =>
  epoch === state.bounds().epoch && head >= state.knownHead() && stamp >= state.knownStamp()

/**
 * Creates the check that runs on every new connection before its first use. It determines which run of the server the
 * connection leads to, and whether that server still has everything that this node has seen. Comparing heads is not
 * enough: after a failover that lost messages, another node may already have assigned their seqs again.
 */
export function createEpochCheck(state: LogState) {
  return async (connection: RedisConnection): Promise<void> => {
    const facts = await readServerFacts(connection)
    if (facts.isReplica) throw new RedisError('Redis has become a replica and rejects writes.')
    const isDurable = !facts.wasPromoted && facts.weaknesses.length === 0
    const meta = await readMeta(connection)
    if (facts.run === meta.runId && facts.run === state.runId() && hasAllKnownWrites(state, meta)) {
      return state.adopt(facts.run, meta)
    }
    const decideAtMs = performance.now() + confirmationTimeoutMs
    for (;;) {
      const mustDecide = performance.now() >= decideAtMs
      const runId = state.runId()
      const known = runId === null ? [] : [state.bounds().epoch, runId, state.knownHead(), state.knownStamp()]
      const args = [facts.run, randomToken(), isDurable ? 1 : 0, mustDecide ? 1 : 0, state.nodeName, ...known]
      const reply = await runScript(connection, epochCheckScript, [metaKey], args)
      const snapshot = Array.isArray(reply) ? reply : []
      if (snapshot[0] !== 'unknown') return state.adopt(facts.run, decodeSnapshot(snapshot))
      await sleep(retryMs)
    }
  }
}
