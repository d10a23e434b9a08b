import { fstatSync, write, writeSync } from 'node:fs'
import { Socket } from 'node:net'

/** Output of the log: for example a file, a terminal, a pipe or a socket. */
export interface LogOutput {
  /** Writes a chunk without blocking the event loop. `done` gets the number of bytes written. */
  write: (chunk: Uint8Array, done: (error: NodeJS.ErrnoException | null, bytes: number) => void) => void
  /** Whether a thread runs the writes. Such writes cannot be cancelled. */
  usesThread: boolean
  /** Writes synchronously, for the exit of the process. Returns the number of bytes written. Throws system errors. */
  writeNow: (chunk: Uint8Array) => number
}

/**
 * Opens the output. The event loop writes to a pipe or socket and queues what does not fit: a synchronous write would
 * block the process until the pipe is read. A thread writes to any other output, so that only the thread waits for a slow
 * disk.
 */
export function openLogOutput(fd: number): LogOutput {
  const stats = fstatSync(fd)
  return stats.isFIFO() || stats.isSocket() ? openPipe(fd) : openFile(fd)
}

function openPipe(fd: number): LogOutput {
  const pipe = new Socket({ fd, readable: false, writable: true })
  let failure: Error | null = null
  pipe.on('error', (error) => (failure = error))
  pipe.unref()
  return {
    write(chunk, done) {
      if (failure !== null) done(failure, 0)
      else pipe.write(chunk, (error) => done(error ?? null, error ? 0 : chunk.length))
    },
    usesThread: false,
    writeNow: (chunk) => writeSync(fd, chunk),
  }
}

function openFile(fd: number): LogOutput {
  return {
    write: (chunk, done) => write(fd, chunk, done),
    usesThread: true,
    writeNow: (chunk) => writeSync(fd, chunk),
  }
}
