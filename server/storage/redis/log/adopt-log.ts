import {
  beginTerm,
  isLossProven,
  type KnownLine,
  type Lineage,
  newestTerm,
  randomToken,
  startLineage,
} from '../../../room/lineage.ts'
import type { RedisConnection } from '../redis-connection.ts'
import { RedisError } from '../redis-error.ts'
import { runScript } from '../redis-script.ts'
import { readServerFacts } from '../server-facts.ts'
import { earlierStateKey, readScript, replaceStateScript, stateKey, takeOverScript } from './log-scripts.ts'
import type { LogSnapshot, LogState } from './log-state.ts'

/** Reads the state of the log from Redis; `null` if there is no log. */
async function readLog(connection: RedisConnection): Promise<(LogSnapshot & { removals: number }) | null> {
  const reply = await runScript(connection, readScript, [stateKey], [])
  const [run, head, oldest, log, lineage, removals] = Array.isArray(reply) ? reply.map(String) : []
  if (run === undefined || log === undefined || lineage === undefined) return null
  const range = { oldest: Number(oldest), head: Number(head) }
  return { run, log, lineage: JSON.parse(lineage) as Lineage, ...range, removals: Number(removals) }
}

/** Returns the log that replaces the one in Redis, or a new log if there is none. */
function createSuccessor(log: LogSnapshot | null, run: string, isLost: boolean, known: KnownLine | null): LogSnapshot {
  if (log !== null) {
    const { log: name, oldest, head } = log
    return { log: name, oldest, head, run, lineage: beginTerm(log, isLost ? randomToken() : undefined) }
  }
  // A page of an earlier version treats head 0 as a room that never had a message, and would not report a gap.
  const head = known === null ? 0 : Math.max(1, known.head)
  return { run, log: randomToken(), lineage: startLineage(head + 1, randomToken()), oldest: head + 1, head }
}

/**
 * Creates the function that adopts the log on every new connection before its first use. The function creates the log if
 * there is none. It begins a term if the run id of Redis differs from the run id in the log, or if the log lacks messages
 * or removals that this node has received in the same epoch. In the second case, the term has a new epoch. A term for
 * another run id also has a new epoch if the server was promoted from a replica, or its settings do not preserve all
 * acknowledged writes.
 *
 * If an older copy replaced the log while all nodes were stopped, the server detects the loss by the term in the cursor of
 * a returning client, and confirms another position.
 */
export function createLogAdoption(state: LogState) {
  return async (connection: RedisConnection): Promise<void> => {
    const { run, isReplica, wasPromoted, weaknesses } = await readServerFacts(connection)
    if (isReplica) throw new RedisError('Redis has become a replica and rejects writes.')
    for (;;) {
      const version = state.version()
      const knownRemovals = state.removals.count()
      const log = await readLog(connection)
      // Another connection of this node has adopted a log meanwhile, possibly a later log.
      if (state.version() !== version) continue
      const isSameRun = log?.run === run
      const known = state.known()
      // As with messages, the loss is proven only within one epoch: a newer epoch already records it.
      const lacksRemovals = (one: LogSnapshot & { removals: number }, { lineage }: KnownLine) =>
        one.removals < knownRemovals && newestTerm(one.lineage).epoch === newestTerm(lineage).epoch
      const isProven = log !== null && known !== null && (isLossProven(known, log) || lacksRemovals(log, known))
      if (isSameRun && !isProven) return state.adopt(log)
      if (log === null) {
        await runScript(connection, takeOverScript, [stateKey, earlierStateKey], [randomToken(), randomToken()])
        if ((await readLog(connection)) !== null) continue
      }
      const isLost = isProven || (!isSameRun && (wasPromoted || weaknesses.length > 0))
      const next = createSuccessor(log, run, isLost, known)
      const expected = log === null ? ['', '', ''] : [log.run, newestTerm(log.lineage).id, log.head]
      const fields = { ...next, term: newestTerm(next.lineage).id, lineage: JSON.stringify(next.lineage) }
      await runScript(connection, replaceStateScript, [stateKey], [...expected, ...Object.entries(fields).flat()])
    }
  }
}
