import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { createAccounts } from './accounts/accounts.ts'
import { createPasswords } from './accounts/passwords.ts'
import { openSqliteAccountStore } from './accounts/sqlite-account-store.ts'
import { createSlowReaders } from './fanout/slow-readers.ts'
import { faultPointFrom } from './fault-point.ts'
import { accountRoutes } from './http/account-routes.ts'
import { serveProbes } from './http/health-routes.ts'
import { createHttpServer } from './http/http-server.ts'
import { createOriginCheck } from './http/origins.ts'
import { servePages } from './http/pages.ts'
import { createSendRateLimit } from './limits/send-rate.ts'
import { createPresence } from './presence/presence.ts'
import { createAudience } from './room/audience.ts'
import { createRoom } from './room/room.ts'
import { openSqliteLog } from './room/sqlite-log.ts'
import type { Settings } from './settings.ts'
import type { Connection } from './sockets/connection.ts'
import { createDelivery } from './sockets/deliver.ts'
import { drainConnections } from './sockets/drain.ts'
import { serveConnections } from './sockets/serve-connections.ts'
import { createSocketServer } from './sockets/socket-server.ts'
import { claimDataFolder } from './sqlite/data-folder.ts'

export interface ServerDeps {
  settings: Settings
  log: Logger
}

const builtPages = fileURLToPath(new URL('../dist/web', import.meta.url))
const hourMs = 3_600_000

/** Wires the parts together; what it returns listens, drains and closes. */
export async function createServer({ settings, log }: ServerDeps) {
  const dataFolder = claimDataFolder(settings.dataDir)
  const accountStore = await openSqliteAccountStore(dataFolder.databaseFile)
  const messageLog = await openSqliteLog(dataFolder.databaseFile, {
    maxAgeMs: settings.retentionHours * hourMs,
    maxMessages: settings.retentionMessages,
  })

  const accounts = createAccounts({ store: accountStore, passwords: await createPasswords() })
  const slowReaders = createSlowReaders((reason) => log.info({ reason }, 'let go of a reader that does not read'))
  const audience = createAudience(messageLog, createDelivery(slowReaders), (error) =>
    log.warn({ err: error }, 'a replay failed'),
  )
  const room = createRoom(messageLog, audience, {
    onStorageFailed: (error) => log.error({ err: error }, 'messages cannot be stored; they are refused'),
    onStorageRecovered: () => log.info('messages are stored again'),
    ...faultPointFrom(process.env),
  })
  const presence = createPresence<Connection>(({ socket }, parcel) => slowReaders.writePresence(socket.conn, parcel))
  const sendRate = createSendRateLimit({
    perConnection: settings.messagesPerSecond,
    perAddress: settings.messagesPerSecondPerIp,
  })

  const app = await createHttpServer(log, settings.trustProxy)
  const pages = await servePages(app, builtPages)
  await app.register(accountRoutes, { accounts, pages })
  let draining = false
  serveProbes(app, async () => !draining && (await room.isWritable()))

  const io = createSocketServer(app.server, createOriginCheck(settings.allowedOrigins))
  serveConnections(io, {
    accounts,
    room,
    audience,
    presence,
    sendRate,
    addressOf: (socket) => socket.handshake.address,
    log,
  })

  const tokenSweep = setInterval(() => {
    accountStore.deleteExpiredTokens(Date.now()).catch((error: unknown) => log.warn({ err: error }, 'a sweep failed'))
  }, hourMs).unref()

  return {
    async listen(): Promise<number> {
      const { port, host } = settings
      await app.ready()
      // Not Fastify's own listen: without a host that one takes only loopback.
      app.server.listen({ port, host })
      await once(app.server, 'listening')
      return (app.server.address() as AddressInfo).port
    },

    /** Ends gently: what was accepted is stored and answered, then each client is let go to come back elsewhere. */
    async drain(): Promise<void> {
      draining = true
      app.server.close()
      await drainConnections(io)
      await this.close()
    },

    async close(): Promise<void> {
      clearInterval(tokenSweep)
      presence.stop()
      slowReaders.stop()
      sendRate.stop()
      await room.close()
      await io.close()
      await app.close()
      await messageLog.close()
      await accountStore.close()
      dataFolder.release()
    },
  }
}

export type ChatServer = Awaited<ReturnType<typeof createServer>>
