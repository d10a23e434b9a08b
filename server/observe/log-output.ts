import { fstatSync, write, writeSync } from 'node:fs'
import { Socket } from 'node:net'

/** Where the log's bytes go. Neither call ever waits for whoever reads them. */
export interface LogOutput {
  /** Hands over one chunk; `done` says how many of its bytes were taken. */
  write: (chunk: Uint8Array, done: (error: NodeJS.ErrnoException | null, bytes: number) => void) => void
  /** Whether a write is made by a thread, which cannot be called off. */
  usesThread: boolean
  /** For the last moment of the process, when nothing asynchronous is left. Throws what the system says. */
  writeNow: (chunk: Uint8Array) => number
}

/**
 * A pipe is written to by the event loop, which queues what the pipe has no room for: a plain write would stop the
 * process until somebody reads. A file is written to by a thread, so that only that thread waits for a slow disk.
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
