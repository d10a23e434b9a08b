import type { LogOutput } from './log-output.ts'

/** What may wait while a disk is full or a reader does not read; lines beyond it are dropped and counted. */
export const maxBufferedLogBytes = 1_048_576
const retryLogEveryMs = 500

/** The reader is gone and does not come back: what is logged from now on is for nobody. */
const closedForGood = new Set(['EPIPE', 'ECONNRESET', 'ENOTCONN', 'EBADF', 'ERR_STREAM_DESTROYED'])

interface DestinationOptions {
  maxBufferedBytes?: number
  /** Called when the log can be written again and lines were dropped meanwhile. */
  onDropped?: (lines: number) => void
}

/**
 * Takes pino's lines and can neither block nor end the server: one write is under way at a time, what arrives meanwhile
 * waits within a bound, a failed write is tried again, and nothing here throws.
 */
export function createLogDestination(output: LogOutput, options: DestinationOptions = {}) {
  const { maxBufferedBytes = maxBufferedLogBytes, onDropped } = options
  let lines: string[] = []
  /** Taken out of `lines` and not yet written: first what is under way, or what is tried again. */
  let chunk: Uint8Array | null = null
  let bufferedBytes = 0
  let dropped = 0
  let state: 'idle' | 'scheduled' | 'writing' | 'waiting' | 'closed' = 'idle'
  let onIdle: (() => void)[] = []

  function writeNext(): void {
    chunk ??= takeLines()
    if (chunk === null) return becomeIdle()
    state = 'writing'
    output.write(chunk, (error, bytes) => {
      if (error === null) noteWritten(bytes)
      else if (closedForGood.has(error.code ?? '')) close()
      else {
        state = 'waiting'
        setTimeout(writeNext, retryLogEveryMs).unref()
      }
    })
  }

  function takeLines(): Uint8Array | null {
    if (lines.length === 0) return null
    const taken = Buffer.from(lines.join(''))
    lines = []
    return taken
  }

  function noteWritten(bytes: number): void {
    bufferedBytes -= bytes
    chunk = chunk === null || bytes >= chunk.length ? null : chunk.subarray(bytes)
    if (chunk === null && dropped > 0) {
      const count = dropped
      dropped = 0
      onDropped?.(count)
    }
    writeNext()
  }

  function becomeIdle(): void {
    state = 'idle'
    const callbacks = onIdle
    onIdle = []
    for (const callback of callbacks) callback()
  }

  function close(): void {
    lines = []
    chunk = null
    bufferedBytes = 0
    becomeIdle()
    state = 'closed'
  }

  return {
    write(line: string): void {
      if (state === 'closed') return
      const bytes = Buffer.byteLength(line)
      if (bufferedBytes + bytes > maxBufferedBytes) {
        dropped++
        return
      }
      bufferedBytes += bytes
      lines.push(line)
      if (state !== 'idle') return
      state = 'scheduled'
      // What one turn of the event loop logs leaves in one write.
      setImmediate(writeNext)
    },

    /** Resolves when everything is written, and after `deadlineMs` in any case. */
    async flush(deadlineMs: number): Promise<void> {
      if (state === 'idle' || state === 'closed') return
      await new Promise<void>((resolve) => {
        onIdle.push(resolve)
        setTimeout(resolve, deadlineMs)
      })
    },

    /** Whether a thread of this process waits for the system to take a chunk: then `process.exit` would wait for it. */
    holdsExit: () => state === 'writing' && output.usesThread,

    /** The last words when the process ends. What cannot be written at once is given up. */
    writeRest(): void {
      const unwritten = state === 'writing' ? [] : [chunk ?? []]
      let rest = Buffer.concat([...unwritten, takeLines() ?? []].map((part) => Buffer.from(part)))
      chunk = null
      try {
        while (rest.length > 0) rest = rest.subarray(output.writeNow(rest))
      } catch {
        // A full disk or a full pipe: to wait for it would keep the process from ending.
      }
    },
  }
}
