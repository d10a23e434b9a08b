import { type Logger, pino } from 'pino'
import { killProcess, logFlushTimeoutMs } from '../base/kill-process.ts'
import { createLogDestination } from './log-destination.ts'
import { openLogOutput } from './log-output.ts'

const standardOutput = 1

export interface ServerLog {
  log: Logger
  /** Ends the process once what was logged is written, as far as that is possible. */
  exit: (code: number) => Promise<never>
}

/** Pino writes these itself; a second key of the same name makes a line that every reader takes otherwise. */
const reservedKeys: ReadonlySet<string> = new Set(['level', 'time', 'pid', 'hostname', 'msg'])

function withoutReservedKeys(line: Record<string, unknown>): Record<string, unknown> {
  if (!Object.keys(line).some((key) => reservedKeys.has(key))) return line
  return Object.fromEntries(
    Object.entries(line).map(([key, value]) => [reservedKeys.has(key) ? `${key}_` : key, value]),
  )
}

/** The server's log, one JSON line each, on the standard output. */
export function createLog(level: string): ServerLog {
  const destination = createLogDestination(openLogOutput(standardOutput), {
    onDropped: (lines) => log.warn({ lines }, 'log lines dropped: the output could not be written'),
  })
  const log = pino({ level, formatters: { log: withoutReservedKeys } }, destination)
  process.on('exit', () => destination.writeRest())
  return {
    log,
    async exit(code) {
      await destination.flush(logFlushTimeoutMs)
      // Node waits for its threads when it exits, and one that waits for a stopped terminal would keep it for ever.
      if (destination.holdsExit()) await killProcess()
      process.exit(code)
    },
  }
}
