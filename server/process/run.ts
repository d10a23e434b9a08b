import { isIPv6 } from 'node:net'
import type { Logger } from 'pino'
import { findSuspiciousSettings } from '../config/suspicious-settings.ts'
import { createLog } from '../observe/create-logger.ts'
import { findMisspeltSettings } from '../config/misspelt-settings.ts'
import { readSettings, type Settings } from '../config/settings.ts'
import { endOnDefects, stopOnSignals } from './shutdown.ts'
import { describeStartError } from './describe-start-error.ts'

interface Server {
  listen: () => Promise<number>
  drain: () => Promise<void>
}

type CreateServer = (options: { settings: Settings; log: Logger }) => Promise<Server>

/** Starts the server with the settings of the environment. Prints the reason and exits when it cannot start. */
export function runServer(loadServer: () => Promise<CreateServer>): void {
  start(loadServer).catch(exitWith)
}

async function start(loadServer: () => Promise<CreateServer>): Promise<void> {
  const settings = readSettings(process.env)
  // The server is loaded after the settings are read: an invalid setting is reported at once.
  const createServer = await loadServer()
  const serverLog = createLog(settings.logLevel)
  endOnDefects(serverLog)
  const { log } = serverLog
  for (const { name, intended } of findMisspeltSettings(process.env))
    log.warn({ name, intended }, 'unknown setting: probably misspelt; correct its name')
  for (const { fields, text } of findSuspiciousSettings(settings)) log.warn(fields, text)
  const server = await createServer({ settings, log })
  const port = await server.listen()
  stopOnSignals(server, serverLog)
  // Log this line last: a supervisor that reads it may send a signal at once.
  log.info({ url: `http://${hostName(settings.host)}:${port}` }, 'Chat Room is open')
}

/** Returns the name under which a browser on this machine reaches the server. */
function hostName(host: string | undefined): string {
  if (host === undefined || ['0.0.0.0', '::', '127.0.0.1', '::1'].includes(host)) return 'localhost'
  return isIPv6(host) ? `[${host}]` : host
}

function exitWith(error: unknown): never {
  console.error(describeStartError(error))
  process.exit(1)
}
