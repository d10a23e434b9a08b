import { type KnownLine, lastCommonSeq, type LogLine, newestTerm } from '../../../room/lineage.ts'
import type { LogBounds, LogListener, LogRange, StoredMessage } from '../../../room/message-log.ts'
import { createRemovalHistory, type Removal } from '../../../room/removals.ts'

/** Log as a node has read it from Redis. */
export interface LogSnapshot extends LogLine {
  /** Run of Redis in which the newest term began. */
  run: string
  /** Name of the log, which is a part of its keys. */
  log: string
}

export type LogState = ReturnType<typeof createLogState>

/** Creates the state of the log as this node has read it, from all of its connections. */
export function createLogState(listener: LogListener) {
  let adopted: Pick<LogSnapshot, 'run' | 'log' | 'lineage'> | null = null
  let version = 0
  let [delivered, known, oldest] = [0, 0, 1]
  const removals = createRemovalHistory()

  /** Returns run id, name, lineage and the id of the newest term of the adopted log. */
  function identity() {
    if (adopted === null) throw new Error('The log is not open.')
    return { ...adopted, term: newestTerm(adopted.lineage).id }
  }

  /** Returns the line up to the newest message that was delivered. */
  function line(): LogLine {
    // Redis may have trimmed messages that were not delivered yet.
    return { lineage: identity().lineage, oldest: Math.min(oldest, delivered + 1), head: delivered }
  }

  function bounds(): LogBounds {
    const { lineage, ...range } = line()
    return { epoch: newestTerm(lineage).epoch, ...range }
  }

  function update(range: LogRange): void {
    known = Math.max(known, range.head)
    oldest = Math.max(oldest, range.oldest)
  }

  function breakAt(head: number): void {
    delivered = head
    known = Math.max(known, head)
    listener.onLogBroken(bounds())
  }

  function deliverRun(messages: readonly StoredMessage[]): void {
    const [first, last] = [messages[0], messages.at(-1)]
    if (first === undefined || last === undefined) return
    if (first.seq !== delivered + 1) breakAt(first.seq - 1)
    delivered = last.seq
    known = Math.max(known, delivered)
    listener.onStored({ epoch: bounds().epoch, messages })
  }

  return {
    bounds,
    line,
    identity,
    /**
     * Returns the number of adopted logs and terms. Data that was read from Redis under another version may belong to
     * another log.
     */
    version: () => version,
    /** Returns the highest head of the log that Redis has returned to this node. */
    knownHead: () => known,
    /** Returns the part of the log up to `knownHead`, perhaps with messages that are not delivered yet; `null` before `adopt`. */
    known: (): KnownLine | null => adopted && { lineage: adopted.lineage, head: known },
    /** Records newer bounds of the adopted log. Ignores lower values. */
    update,
    removals,
    /** Delivers a removal to the listener, unless it is known. */
    deliverRemoval(removal: Removal): void {
      if (removal.removals <= removals.count()) return
      removals.add(removal)
      listener.onRemoved(removal)
    },
    /**
     * Adopts the log of a new connection. Calls the listener only if the epoch differs from that of the known log. Delivery
     * then continues after the last delivered message that both logs have, or else with the oldest message.
     */
    adopt({ run, log, lineage, ...range }: LogSnapshot): void {
      const previous = adopted && { ...adopted, head: known }
      adopted = { run, log, lineage }
      if (previous?.run === run && newestTerm(previous.lineage).id === newestTerm(lineage).id) return update(range)
      version++
      if (previous === null) {
        ;({ oldest, head: delivered, head: known } = range)
      } else if (newestTerm(previous.lineage).epoch === newestTerm(lineage).epoch) {
        update(range)
      } else {
        const common = lastCommonSeq(previous, { lineage, head: range.head })
        ;({ oldest, head: known } = range)
        removals.clear()
        breakAt(Math.max(Math.min(delivered, common), oldest - 1))
      }
    },
    /** Delivers messages to the listener, in log order. Reports a break when they do not continue the delivered ones. */
    deliver(messages: readonly StoredMessage[]): void {
      let from = 0
      for (let index = 1; index <= messages.length; index++) {
        if (messages[index]?.seq === (messages[index - 1]?.seq ?? 0) + 1) continue
        deliverRun(messages.slice(from, index))
        from = index
      }
    },
    /** Skips messages that were trimmed before they were delivered, and reports a break. */
    skipTrimmed(): void {
      if (oldest - 1 > delivered) breakAt(oldest - 1)
    },
  }
}
