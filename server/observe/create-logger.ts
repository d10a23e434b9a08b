import { constants } from 'node:os'
import { type Logger, pino } from 'pino'
import { logFlushTimeoutMs } from '../base/kill-process.ts'
import { createLogDestination } from './log-destination.ts'
import { openLogOutput } from './log-output.ts'

const standardOutput = 1

export interface ServerLog {
  log: Logger
  /**
   * Exits when the log is written, or after a short timeout. Waits for every thread of the process, but kills the
   * process if a write of the log hangs.
   */
  exit: (code: number) => Promise<never>
  /**
   * Ends the process by a signal when the log is written, or after a short timeout. Waits for no thread: a thread that
   * hangs in a system call, as on a hanging disk, would keep the process alive.
   */
  exitBySignal: (signal: 'SIGINT' | 'SIGKILL') => Promise<never>
}

/** Keys that pino writes. JSON parsers differ about a key that occurs twice in a line. */
const reservedKeys: ReadonlySet<string> = new Set(['level', 'time', 'pid', 'hostname', 'msg'])

function withoutReservedKeys(line: Record<string, unknown>): Record<string, unknown> {
  if (!Object.keys(line).some((key) => reservedKeys.has(key))) return line
  return Object.fromEntries(
    Object.entries(line).map(([key, value]) => [reservedKeys.has(key) ? `${key}_` : key, value]),
  )
}

/** Creates the server's log: JSON lines on the standard output. */
export function createLog(level: string): ServerLog {
  const destination = createLogDestination(openLogOutput(standardOutput), {
    onDropped: (lines) =>
      log.warn(
        { lines },
        'log lines dropped: the output could not be written; check the disk or the program that reads the log',
      ),
  })
  const log = pino({ level, formatters: { log: withoutReservedKeys } }, destination)
  process.on('exit', () => destination.writeRest())

  async function exitBySignal(signal: 'SIGINT' | 'SIGKILL'): Promise<never> {
    await destination.flush(logFlushTimeoutMs)
    // Without a listener, the signal ends the process.
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
    // The first process of a container ignores its own signals.
    process.exit(128 + constants.signals[signal])
  }

  return {
    log,
    exitBySignal,
    async exit(code) {
      await destination.flush(logFlushTimeoutMs)
      // Node waits for its threads at the exit, and a thread that writes to a stopped terminal never returns.
      if (await destination.blocksExit(logFlushTimeoutMs)) await exitBySignal('SIGKILL')
      process.exit(code)
    },
  }
}
