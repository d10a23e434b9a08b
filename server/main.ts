import { type Logger, pino } from 'pino'
import type { ChatServer } from './create-server.ts'
import { endByForce } from './end-process.ts'
import { readSettings } from './settings.ts'
import { StartError } from './start-error.ts'

const maxDrainMs = 14_000
const cannotListen = new Set(['EACCES', 'EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL', 'ENOTFOUND', 'EAI_AGAIN'])

async function main(): Promise<void> {
  const settings = readSettings(process.env)
  // Loaded only now: a bad setting is said at once.
  const { createServer } = await import('./create-server.ts')
  const log = pino({ level: settings.logLevel })
  const server = await createServer({ settings, log })
  const port = await server.listen()
  let leaving = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    // A terminal's Ctrl-C reaches us twice when a launcher passes it on: the second must not cut the first short.
    process.on(signal, () => {
      if (leaving) return
      leaving = true
      log.info('closing')
      void leave(server, signal === 'SIGINT', log)
    })
  }
  // Said last: who reads it may send a signal at once.
  log.info(`Chat Room is open at http://localhost:${port}`)
}

async function leave(server: ChatServer, atOnce: boolean, log: Logger): Promise<void> {
  setTimeout(endByForce, maxDrainMs).unref()
  try {
    await (atOnce ? server.close() : server.drain())
  } catch (error) {
    log.fatal({ err: error }, 'closing failed; the process ends by force')
    endByForce()
  }
  process.exit(0)
}

main().catch((error: unknown) => {
  const { code, port, message, stack } = error as NodeJS.ErrnoException & { port?: number }
  if (error instanceof StartError) console.error(message)
  else if (code === 'EADDRINUSE') console.error(`PORT: ${port} is already in use`)
  else if (code !== undefined && cannotListen.has(code)) console.error(`PORT, HOST: cannot listen there (${message})`)
  else console.error(stack)
  process.exit(1)
})
