import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Logger, pino } from 'pino'
import { io, type ManagerOptions, type Socket, type SocketOptions } from 'socket.io-client'
import { onTestFinished } from 'vitest'
import { createServer } from '../../server/app.ts'
import { maxDrainMs } from '../../server/process/shutdown.ts'
import { withDeadline } from '../../server/base/with-deadline.ts'
import { readSettings } from '../../server/config/settings.ts'
import { showLogOnFailure } from './server-log.ts'

type Env = Record<string, string>

interface StartOptions {
  whenDone?: (clean: () => Promise<void>) => void
  hiddenInternals?: readonly string[]
  log?: Logger
}

/**
 * Starts the real server in this process, by default on a free port with a temporary folder. Closes it and removes the
 * folder after the test.
 */
export async function startServer(
  env: Env = {},
  { whenDone = onTestFinished, hiddenInternals = [], log }: StartOptions = {},
) {
  const dataDir = env['DATA_DIR'] ?? mkdtempSync(join(tmpdir(), 'chat-room-'))
  const settings = readSettings({ PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'error', ...env })
  const server = await createServer({
    settings,
    log: log ?? createLog(settings.logLevel, whenDone === onTestFinished),
    hiddenInternals,
  })
  const url = `http://127.0.0.1:${await server.listen()}`
  const clients: Socket[] = []
  let isClosed = false

  async function close(): Promise<void> {
    if (isClosed) return
    isClosed = true
    for (const client of clients) client.close()
    await server.close()
  }
  /** Runs the graceful shutdown, as after SIGTERM. Rejects at the deadline at which the process would kill itself. */
  async function drain(): Promise<void> {
    isClosed = true
    await withDeadline(server.drain(), maxDrainMs, () => new Error('the drain timed out'))
    for (const client of clients) client.close()
  }
  whenDone(async () => {
    await close()
    rmSync(dataDir, { recursive: true, force: true })
  })

  return {
    url,
    dataDir,
    server,
    close,
    drain,
    /** Creates a socket.io-client, which connects in the background. */
    client(options: Partial<ManagerOptions & SocketOptions> = {}): Socket {
      const client = io(url, { forceNew: true, transports: ['websocket'], ...options })
      clients.push(client)
      return client
    },
    call(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
      return fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      })
    },
  }
}

/**
 * Creates a log in memory for a server of one test, and prints its end if the test fails. A server that several tests
 * share logs to standard output.
 */
function createLog(level: string, isOfOneTest: boolean): Logger {
  if (!isOfOneTest) return pino({ level })
  const lines: string[] = []
  showLogOnFailure(() => lines.join(''))
  return pino({ level }, { write: (line) => void lines.push(line) })
}

export type TestServer = Awaited<ReturnType<typeof startServer>>
