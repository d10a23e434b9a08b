import { type Logger, pino } from 'pino'
import { killProcess, logFlushTimeoutMs } from '../base/kill-process.ts'
import { createLogDestination } from './log-destination.ts'
import { openLogOutput } from './log-output.ts'

const standardOutput = 1

export interface ServerLog {
  log: Logger
  /** Exits when the log is written, or after a short timeout. */
  exit: (code: number) => Promise<never>
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
  return {
    log,
    async exit(code) {
      await destination.flush(logFlushTimeoutMs)
      // Node waits for its threads at the exit, and a thread that writes to a stopped terminal never returns.
      if (destination.blocksExit()) await killProcess()
      process.exit(code)
    },
  }
}
