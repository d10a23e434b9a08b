import { newestTerm } from '../../server/room/lineage.ts'
import { createLogSubscribers } from '../../server/room/log-subscribers.ts'
import { addedMessages, type MessageLog, type Retention } from '../../server/room/message-log.ts'
import { createRemovalHistory } from '../../server/room/removals.ts'
import { createSqliteLogStore } from '../../server/storage/sqlite/log/sqlite-log-store.ts'
import type { Random } from '../faults/random.ts'
import type { Owner, VirtualTime } from './virtual-time.ts'

interface SimulatedLogOptions {
  file: string
  retention: Retention
  time: VirtualTime
  random: Random
  /** Process that uses the log. It receives no results after its crash. */
  owner: Owner
}

const failureChance = 0.01
const slowChance = 0.03
/** Chance of a delay of at least the storage deadline of the server. */
const hangChance = 0.002

/**
 * Opens the real log store on a real database and simulates the storage thread of the server. A call is delayed, runs
 * atomically, and its result is delayed again. A crash may happen in between.
 */
export function openSimulatedLog({ file, retention, time, random, owner }: SimulatedLogOptions) {
  const store = createSqliteLogStore(file, retention)
  const { lineage } = store
  const { epoch } = newestTerm(lineage)
  const subscribers = createLogSubscribers()
  const removals = createRemovalHistory()
  removals.add(store.loadRemovals())
  let range = store.range()
  let lastAtMs = 0

  /** Runs a call after a delay and returns its result after another delay. Calls keep their order. */
  function call<Result>(work: () => Result, onResult: (result: Result) => void = () => undefined): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    const delayMs = drawDelayMs(random)
    const executesAtMs = Math.max(lastAtMs, time.nowMs() + delayMs / 2)
    const returnsAtMs = executesAtMs + delayMs / 2
    // The next call executes later, because tasks due at the same time run in random order.
    lastAtMs = returnsAtMs + 0.001
    const isFailing = random.chance(failureChance)
    time.after(executesAtMs - time.nowMs(), () => {
      if (!owner.isAlive) return
      const outcome = isFailing ? diskError : execute(work)
      const newRange = store.range()
      time.after(returnsAtMs - time.nowMs(), () => {
        if (!owner.isAlive) return
        time.as(owner, () => {
          range = newRange
          if ('error' in outcome) reject(outcome.error)
          else {
            onResult(outcome.result)
            resolve(outcome.result)
          }
        })
      })
    })
    return promise
  }

  const log: MessageLog = {
    bounds: () => ({ epoch, ...range }),
    lineage: () => lineage,
    subscribe: subscribers.subscribe,
    async append(entries, acknowledge) {
      await call(
        () => store.append(entries),
        (outcomes) => {
          acknowledge(outcomes)
          subscribers.onStored({ epoch, messages: addedMessages(entries, outcomes) })
        },
      )
    },
    catchUp: () => null,
    fetchHead: () => null,
    readAfter: (cursor, page) => call(() => (cursor.epoch === epoch ? store.readAfter(cursor.seq, page) : null)),
    removals: () => removals,
    remove: (seqs) =>
      call(
        () => store.remove(seqs),
        (removal) => {
          if (removal.seqs.length === 0) return
          removals.add(removal)
          subscribers.onRemoved(removal)
        },
      ).then((removal) => [...removal.seqs]),
    senderOf: (seq) => call(() => store.query((queries) => queries.senderOf(seq))),
    seqsOfSender: (sender) => call(() => store.query((queries) => queries.seqsOfSender(sender))),
    listForOperator: (count, before) => call(() => store.query((queries) => queries.listForOperator(count, before))),
    check: () => call(() => store.checkWritable()),
    close: async () => store.close(),
  }
  return { log, closeFile: () => store.close() }
}

function drawDelayMs(random: Random): number {
  if (random.chance(hangChance)) return random.whole(5_000, 9_000)
  return random.chance(slowChance) ? random.whole(20, 1_500) : random.whole(0, 5)
}

type Outcome<Result> = { result: Result } | { error: Error }

const diskError = { error: new Error('simulated disk error') }

function execute<Result>(work: () => Result): Outcome<Result> {
  try {
    return { result: work() }
  } catch (error) {
    return { error: error as Error }
  }
}
