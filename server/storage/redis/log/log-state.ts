import { randomBytes } from 'node:crypto'
import type { LogListener, LogBounds, StoredMessage } from '../../../room/message-log.ts'

/** Bounds of the log as reported by Redis. */
export interface LogSnapshot extends LogBounds {
  /** Stamp of the last write. */
  stamp: number
}

/** State of the log as this node knows it, from all of its connections. */
export interface LogState {
  /** Random name of this node, new at each start of the process. */
  readonly nodeName: string
  /** Bounds of the log, up to the newest message delivered to the listener. */
  bounds(): LogBounds
  /** Run id of the Redis server that this state comes from; `null` before the first connection. */
  runId(): string | null
  /** Newest seq that this node knows to be stored: delivered, or acknowledged by an append. */
  knownHead(): number
  /** Stamp of the newest write that this node knows of. */
  knownStamp(): number
  /** Adds newer facts about the log. Ignores a snapshot of another epoch, which is a late reply. */
  update(snapshot: LogSnapshot): void
  /** Takes over the state of the server behind a new connection. The log may have another epoch. */
  adopt(runId: string, snapshot: LogSnapshot): void
  /** Delivers messages to the listener, in log order. Reports a break when they do not continue the delivered ones. */
  deliver(messages: readonly StoredMessage[]): void
  /** Skips messages up to `head` that can no longer be read, and reports a break. */
  skipTo(head: number): void
}

/** Creates a short random token. The epoch is one, and every message carries it. */
export const randomToken = () => randomBytes(6).toString('base64url')

export function createLogState(listener: LogListener): LogState {
  let [epoch, runId]: [string | null, string | null] = [null, null]
  let [delivered, known, oldest, stamp] = [0, 0, 1, 0]

  const bounds = (): LogBounds => {
    if (epoch === null) throw new Error('The log is not open.')
    // Redis may have trimmed messages that were not delivered yet.
    return { epoch, oldest: Math.min(oldest, delivered + 1), head: delivered }
  }

  function update(snapshot: LogSnapshot): void {
    if (snapshot.epoch !== epoch) return
    known = Math.max(known, snapshot.head)
    oldest = Math.max(oldest, snapshot.oldest)
    stamp = Math.max(stamp, snapshot.stamp)
  }

  function breakAt(head: number): void {
    delivered = head
    known = Math.max(known, head)
    listener.onLogBroken(bounds())
  }

  function deliverRun(messages: readonly StoredMessage[]): void {
    const [first, last] = [messages[0], messages.at(-1)]
    if (first === undefined || last === undefined || epoch === null) return
    if (first.seq !== delivered + 1) breakAt(first.seq - 1)
    delivered = last.seq
    known = Math.max(known, delivered)
    listener.onStored({ epoch, messages })
  }

  return {
    nodeName: randomToken(),
    bounds,
    runId: () => runId,
    knownHead: () => known,
    knownStamp: () => stamp,
    update,
    adopt(newRunId, snapshot) {
      runId = newRunId
      if (snapshot.epoch === epoch) return update(snapshot)
      const isFirst = epoch === null
      ;({ epoch, oldest, stamp, head: delivered, head: known } = snapshot)
      if (isFirst) return
      // Other nodes may already have stored messages in the new epoch. All of them are new to this node.
      delivered = oldest - 1
      listener.onLogBroken(bounds())
    },
    deliver(messages) {
      let from = 0
      for (let index = 1; index <= messages.length; index++) {
        if (messages[index]?.seq === (messages[index - 1]?.seq ?? 0) + 1) continue
        deliverRun(messages.slice(from, index))
        from = index
      }
    },
    skipTo(head) {
      if (head > delivered) breakAt(head)
    },
  }
}
