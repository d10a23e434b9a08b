import { randomBytes } from 'node:crypto'
import type { LogListener, Stand, StoredMessage } from '../../../room/message-log.ts'

/** What an answer of Redis says of the log. */
export interface Found extends Stand {
  /** Of the last write. */
  stamp: number
}

/** What this node knows of the log, whichever of its connections told it. */
export interface LogState {
  /** Of this life of the process: whoever bears the name remembers what it wrote. */
  readonly name: string
  stand(): Stand
  /** The life of the server under which all this was learnt; `null` before the first. */
  run(): string | null
  /** The newest seq that this node knows to be stored: heard, or answered to one of its appends. */
  seen(): number
  /** The stamp of the newest write that this node knows of. */
  stamp(): number
  /** An answer about an epoch; one that comes too late is about another log. */
  note(found: Found): void
  /** The server at the end of a new connection: it goes on with the log that is known, or has another one. */
  adopt(run: string, found: Found): void
  /** In the order of the log. What does not continue what was heard last is told as a break. */
  hear(messages: readonly StoredMessage[]): void
  /** What lies between what was heard and the head can be read no more. */
  skipTo(head: number): void
}

/** Short, because every message carries one, the epoch. */
export const randomToken = () => randomBytes(6).toString('base64url')

export function createLogState(listener: LogListener): LogState {
  let [epoch, run]: [string | null, string | null] = [null, null]
  let [heard, seen, oldest, stamp] = [0, 0, 1, 0]

  const stand = (): Stand => {
    if (epoch === null) throw new Error('The log is not open.')
    // Trimmed past what was heard: the listener knows nothing newer.
    return { epoch, oldest: Math.min(oldest, heard + 1), head: heard }
  }

  function note(found: Found): void {
    if (found.epoch !== epoch) return
    seen = Math.max(seen, found.head)
    oldest = Math.max(oldest, found.oldest)
    stamp = Math.max(stamp, found.stamp)
  }

  function moveTo(head: number): void {
    heard = head
    seen = Math.max(seen, head)
    listener.broken(stand())
  }

  function tell(messages: readonly StoredMessage[]): void {
    const [first, last] = [messages[0], messages.at(-1)]
    if (first === undefined || last === undefined || epoch === null) return
    if (first.seq !== heard + 1) moveTo(first.seq - 1)
    heard = last.seq
    seen = Math.max(seen, heard)
    listener.stored({ epoch, messages })
  }

  return {
    name: randomToken(),
    stand,
    run: () => run,
    seen: () => seen,
    stamp: () => stamp,
    note,
    adopt(newRun, found) {
      run = newRun
      if (found.epoch === epoch) return note(found)
      const isFirst = epoch === null
      ;({ epoch, oldest, stamp, head: heard, head: seen } = found)
      if (isFirst) return
      // Others may have found it earlier, and what they stored in it is new to everybody here.
      heard = oldest - 1
      listener.broken(stand())
    },
    hear(messages) {
      let from = 0
      for (let index = 1; index <= messages.length; index++) {
        if (messages[index]?.seq === (messages[index - 1]?.seq ?? 0) + 1) continue
        tell(messages.slice(from, index))
        from = index
      }
    },
    skipTo(head) {
      if (head > heard) moveTo(head)
    },
  }
}
