import type { Logger } from 'pino'
import { findSuspiciousSettings } from '../config/suspicious-settings.ts'
import { createLog } from '../observe/create-logger.ts'
import { findMisspeltSettings } from '../config/misspelt-settings.ts'
import { readSettings, type Settings } from '../config/settings.ts'
import { StartError } from '../base/start-error.ts'
import { endOnDefects, stopOnSignals } from './shutdown.ts'

interface Server {
  listen: () => Promise<number>
  drain: () => Promise<void>
}

type CreateServer = (options: { settings: Settings; log: Logger }) => Promise<Server>

const cannotListen = new Set(['EACCES', 'EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL', 'ENOTFOUND', 'EAI_AGAIN'])

/** Starts the server with the settings of the environment. Prints one line and exits when it cannot start. */
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
    log.warn(`unknown setting: ${name}; did you mean ${intended}?`)
  for (const line of findSuspiciousSettings(settings)) log.warn(line)
  const server = await createServer({ settings, log })
  const port = await server.listen()
  stopOnSignals(server, serverLog)
  // Log this line last: a supervisor that reads it may send a signal at once.
  log.info(`Chat Room is open at http://localhost:${port}`)
}

function exitWith(error: unknown): never {
  const { code, port, message, stack, syscall } = error as NodeJS.ErrnoException & { port?: number }
  if (error instanceof StartError) console.error(message)
  else if (code === 'EADDRINUSE') console.error(`PORT: ${port} is already in use`)
  else if (code !== undefined && cannotListen.has(code)) console.error(`PORT, HOST: cannot listen there (${message})`)
  // The operator can fix an error of the operating system; the message names the file.
  else if (syscall !== undefined) console.error(`Cannot start: ${message}`)
  else console.error(stack)
  process.exit(1)
}
