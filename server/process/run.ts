import { findSuspiciousSettings } from '../config/suspicious-settings.ts'
import { createLog } from '../observe/create-logger.ts'
import { findMisspeltSettings } from '../config/misspelt-settings.ts'
import { readSettings } from '../config/settings.ts'
import { StartError } from '../base/start-error.ts'
import { endOnDefects, stopOnSignals } from './shutdown.ts'

const cannotListen = new Set(['EACCES', 'EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL', 'ENOTFOUND', 'EAI_AGAIN'])

async function main(): Promise<void> {
  const settings = readSettings(process.env)
  // Loaded only now: a bad setting is said at once.
  const { createServer } = await import('../app.ts')
  const serverLog = createLog(settings.logLevel)
  endOnDefects(serverLog)
  const { log } = serverLog
  for (const { name, intended } of findMisspeltSettings(process.env))
    log.warn(`${name} is no setting; is ${intended} meant?`)
  for (const line of findSuspiciousSettings(settings)) log.warn(line)
  const server = await createServer({ settings, log })
  const port = await server.listen()
  stopOnSignals(server, serverLog)
  // Said last: who reads it may send a signal at once.
  log.info(`Chat Room is open at http://localhost:${port}`)
}

main().catch((error: unknown) => {
  const { code, port, message, stack, syscall } = error as NodeJS.ErrnoException & { port?: number }
  if (error instanceof StartError) console.error(message)
  else if (code === 'EADDRINUSE') console.error(`PORT: ${port} is already in use`)
  else if (code !== undefined && cannotListen.has(code)) console.error(`PORT, HOST: cannot listen there (${message})`)
  // What the system refused is for the operator to mend, and the message names the file.
  else if (syscall !== undefined) console.error(`Cannot start: ${message}`)
  else console.error(stack)
  process.exit(1)
})
