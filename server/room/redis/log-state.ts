import type { LogListener, Stand, StoredMessage } from '../message-log.ts'

/** What this node knows of the log, whichever of its connections told it. */
export interface LogState {
  stand(): Stand
  /** The life of the server under which all this was learnt; `null` before the first. */
  run(): string | null
  /** The newest seq that this node knows to be stored: heard, or answered to one of its appends. */
  seen(): number
  /** An answer about an epoch; one that comes too late is about another log. */
  note(stand: Stand): void
  /** The server at the end of a new connection: it goes on with the log that is known, or has another one. */
  adopt(run: string, stand: Stand): void
  /** In the order of the log. What does not continue what was heard last is told as a break. */
  hear(messages: readonly StoredMessage[]): void
  /** What lies between what was heard and the head can be read no more. */
  skipTo(head: number): void
}

export function createLogState(listener: LogListener): LogState {
  let [epoch, run, heard, seen, oldest]: [string | null, string | null, number, number, number] = [null, null, 0, 0, 1]

  const stand = (): Stand => {
    if (epoch === null) throw new Error('The log is not open.')
    // Trimmed past what was heard: the listener knows nothing newer.
    return { epoch, oldest: Math.min(oldest, heard + 1), head: heard }
  }

  function note(found: Stand): void {
    if (found.epoch !== epoch) return
    seen = Math.max(seen, found.head)
    oldest = Math.max(oldest, found.oldest)
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
    stand,
    run: () => run,
    seen: () => seen,
    note,
    adopt(newRun, found) {
      run = newRun
      if (found.epoch === epoch) return note(found)
      const isFirst = epoch === null
      ;({ epoch, oldest, head: heard, head: seen } = found)
      if (!isFirst) listener.broken(stand())
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
