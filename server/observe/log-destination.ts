import type { LogOutput } from './log-output.ts'

/** Maximum size of the buffer while the output cannot be written. Further lines are dropped and counted. */
export const maxBufferedLogBytes = 1_048_576
const retryLogEveryMs = 500

/** Errors after which the output cannot be written again. */
const permanentErrors = new Set(['EPIPE', 'ECONNRESET', 'ENOTCONN', 'EBADF', 'ERR_STREAM_DESTROYED'])

interface DestinationOptions {
  maxBufferedBytes?: number
  /** Reports the number of dropped lines when the log can be written again. */
  onDropped?: (lines: number) => void
}

/**
 * Creates a destination for pino that neither blocks nor throws. It runs one write at a time, buffers up to
 * `maxBufferedBytes` meanwhile, and retries a failed write. After a permanent error, it drops all lines.
 */
export function createLogDestination(output: LogOutput, options: DestinationOptions = {}) {
  const { maxBufferedBytes = maxBufferedLogBytes, onDropped } = options
  let lines: string[] = []
  /** Bytes that are being written or retried. They are no longer in `lines`. */
  let chunk: Uint8Array | null = null
  let bufferedBytes = 0
  let dropped = 0
  let state: 'idle' | 'scheduled' | 'writing' | 'waiting' | 'closed' = 'idle'
  let onIdle: (() => void)[] = []
  /** Callback for the end of the last write. `blocksExit` sets it when the process ends. After that, no write starts. */
  let onLastWrite: (() => void) | null = null

  function writeNext(): void {
    if (onLastWrite !== null) {
      state = 'waiting'
      onLastWrite()
      return
    }
    chunk ??= takeLines()
    if (chunk === null) return becomeIdle()
    state = 'writing'
    output.write(chunk, (error, bytes) => {
      if (error === null) noteWritten(bytes)
      else if (permanentErrors.has(error.code ?? '')) close()
      else {
        state = 'waiting'
        onLastWrite?.()
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
    if (chunk === null && dropped > 0) reportDropped()
    writeNext()
  }

  function reportDropped(): void {
    const count = dropped
    dropped = 0
    onDropped?.(count)
    // The buffer had no space for the line of the report, so that line was dropped. Report again after the next write.
    if (dropped > 0) dropped = count
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
      // Write all lines of one turn of the event loop together.
      setImmediate(writeNext)
    },

    /** Resolves when everything is written or dropped, and after `deadlineMs` in any case. */
    async flush(deadlineMs: number): Promise<void> {
      if (state === 'idle' || state === 'closed') return
      await new Promise<void>((resolve) => {
        onIdle.push(resolve)
        setTimeout(resolve, deadlineMs)
      })
    },

    /**
     * Ends the writes if a thread runs them. Resolves to whether the thread still writes after `deadlineMs`:
     * `process.exit` would wait for it.
     */
    async blocksExit(deadlineMs: number): Promise<boolean> {
      if (!output.usesThread) return false
      await new Promise<void>((resolve) => {
        onLastWrite = resolve
        if (state !== 'writing') resolve()
        setTimeout(resolve, deadlineMs)
      })
      return state === 'writing'
    },

    /** Writes the remaining lines synchronously when the process exits. Drops what cannot be written at once. */
    writeRest(): void {
      const unwritten = state === 'writing' ? [] : [chunk ?? []]
      let rest = Buffer.concat([...unwritten, takeLines() ?? []].map((part) => Buffer.from(part)))
      chunk = null
      try {
        while (rest.length > 0) rest = rest.subarray(output.writeNow(rest))
      } catch {
        // A full disk or pipe must not delay the exit.
      }
    },
  }
}
