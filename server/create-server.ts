import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { createAccounts } from './accounts/accounts.ts'
import { createPasswords } from './accounts/passwords.ts'
import { createSessions } from './accounts/sessions.ts'
import { sweepTokens } from './accounts/sweep-tokens.ts'
import { watchAccounts } from './accounts/watch-accounts.ts'
import { openBacking } from './backing/open-backing.ts'
import { createCounting } from './counting.ts'
import { createAckBatch } from './fanout/ack-batch.ts'
import { createGuardedWriter } from './fanout/guarded-writer.ts'
import { findAbilities } from './fanout/find-abilities.ts'
import { createSocketWriter } from './fanout/socket-writer.ts'
import { faultPointFrom } from './fault-point.ts'
import { createGuard } from './guard.ts'
import { accountRoutes } from './http/account-routes.ts'
import { serveProbes } from './http/health-routes.ts'
import { refuseOtherUpgrades } from './http/broken-requests.ts'
import { findBuiltPages } from './http/built-pages.ts'
import { createClientAddress } from './http/client-address.ts'
import { createEndMidway } from './http/end-midway.ts'
import { createEngineGate } from './sockets/engine-gate.ts'
import { guardListeners } from './http/guard-listeners.ts'
import { createHttpServer } from './http/http-server.ts'
import { createSparseWarning } from './logging/sparse-warning.ts'
import { type Heap, watchMemory } from './memory-watch.ts'
import { createOriginCheck, createOriginWarning } from './http/origins.ts'
import { servePages } from './http/pages.ts'
import { stopListening } from './http/stop-listening.ts'
import { gateRequests } from './http/request-gate.ts'
import { limitAllTcpConnections, limitTcpConnections } from './http/tcp-connections.ts'
import { createAdmission } from './limits/admission.ts'
import { pressureLogLines, watchPressure } from './limits/pressure.ts'
import { createRaidGuard, raidLogLines } from './limits/raid.ts'
import { createSendRateLimit } from './limits/send-rate.ts'
import { createPresence } from './presence/presence.ts'
import { createAudience } from './room/audience.ts'
import { countHttpRefusals, createRefusals } from './refusals.ts'
import { createRoom } from './room/room.ts'
import { retentionOf, type Settings } from './settings.ts'
import { createDelivery } from './sockets/connection.ts'
import { watchCutOff } from './sockets/cut-off.ts'
import { drainConnections } from './sockets/drain.ts'
import { guardConnections } from './sockets/guard-connections.ts'
import { serveConnections } from './sockets/serve-connections.ts'
import { countPages, createSocketServer } from './sockets/socket-server.ts'
import { createTellEverybody } from './sockets/tell-everybody.ts'

export interface ServerDeps {
  settings: Settings
  log: Logger
  /** Set by tests: insides of the libraries (`fanout/internals.ts`) that are treated as missing. */
  hiddenInsides?: readonly string[]
}

/** Wires the parts together; what it returns listens, drains and closes. */
export async function createServer({ settings, log, hiddenInsides }: ServerDeps) {
  const backing = await openBacking(settings, log)

  const clientAddress = createClientAddress(settings.trustProxy, (peer) =>
    log.warn({ peer }, 'X-Forwarded-For from this peer is not believed; if it is your proxy, name it in TRUST_PROXY'),
  )
  const isAllowedOrigin = createOriginCheck(settings.allowedOrigins, createOriginWarning(log))
  const pressure = watchPressure((next) => log.warn({ pressure: next }, pressureLogLines[next]))
  const sessions = createSessions(backing.accounts, backing.orders)
  const { accounts: store, logins: ledger } = backing
  const accounts = createAccounts({ store, passwords: createPasswords(), sessions, ledger })
  const metrics = await createCounting(settings.metricsPort !== undefined, {
    connections: () => io.engine.clientsCount,
    pages: () => countPages(io),
    databaseFiles: backing.files,
    checkStorage: () => room.isWritable(),
  })
  const noteRefusal = createRefusals((reason) => metrics.refused(reason), log)
  const abilities = findAbilities(hiddenInsides, log)
  const socketWriter = createSocketWriter(abilities)
  const guardedWriter = createGuardedWriter(socketWriter, (reason) => {
    metrics.letGo(reason)
    log.info({ reason }, 'closed a connection that does not read what it is sent')
  })
  const delivery = createDelivery(guardedWriter)
  const messageLog = await backing.openLog({
    stored: (batch) => audience.stored(batch),
    broken(stand) {
      log.warn(stand, 'the log has broken off: all pages are told that messages may be missing')
      audience.broken(stand)
    },
  })
  const audience = createAudience(messageLog, delivery, {
    maxAgeMs: retentionOf(settings).maxAgeMs,
    onReplayFailed: (error) => log.warn({ err: error }, 'missed messages could not be read; trying again'),
    onFannedOut: (tookMs) => metrics.fannedOut(tookMs),
  })
  const answers = createAckBatch(abilities)
  const room = createRoom(messageLog, {
    settleTogether: (settleAll) => answers.gather(settleAll),
    toldAll: () => audience.toldAll(),
    onFlushed: (flush) => metrics.flushed(flush),
    onStoreFailed: () => metrics.storeFailed(),
    onStorageFailed(error) {
      metrics.storageIs(false)
      log.error({ err: error }, 'messages cannot be stored; they are refused')
    },
    onStorageRecovered() {
      metrics.storageIs(true)
      log.info('messages are stored again')
    },
    ...faultPointFrom(process.env),
  })
  const presence = createPresence(delivery)
  const roster = backing.openRoster(presence)
  const raid = createRaidGuard((slowed, perSecond) => log.warn({ slowed, perSecond }, raidLogLines[slowed]))
  const sendRate = createSendRateLimit(
    { perConnection: settings.messagesPerSecond, perAddress: settings.messagesPerSecondPerIp },
    raid,
  )
  const admission = createAdmission(settings)

  const endMidway = createEndMidway(abilities.droppedRequests)
  const app = await createHttpServer(log, clientAddress.isSecure)
  limitAllTcpConnections(app.server, (connections) =>
    log.warn({ connections }, 'the limit of open files (ulimit -n) is low: no more connections than this fit at once'),
  )
  limitTcpConnections(app.server, settings.maxConnectionsPerIp, clientAddress.isProxy, () =>
    noteRefusal('tcp_per_address'),
  )
  const httpRefusals = countHttpRefusals(app.server, noteRefusal)
  refuseOtherUpgrades(app.server)
  const pages = servePages(app, findBuiltPages())
  const { addressOf } = clientAddress
  await app.register(accountRoutes, { accounts, pages, addressOf, isAllowedOrigin, pressure })
  let draining = false
  const accountsHealth = watchAccounts(backing.accounts, { metrics, log })
  serveProbes(app, async () => {
    const { isReadyWithoutAccounts } = backing
    const [isWritable, hasAccounts] = await Promise.all([
      room.isWritable(),
      // One that says nothing must not make the answer late.
      isReadyWithoutAccounts ? !accountsHealth.hasFailed() : accountsHealth.isWell(),
    ])
    return { isReady: !draining && isWritable && (hasAccounts || isReadyWithoutAccounts), hasAccounts }
  })

  const guard = createGuard(log)
  const { io, engine, heartbeats } = createSocketServer(app.server, { isAllowedOrigin, guard, abilities, socketWriter })
  const tellEverybody = createTellEverybody(io, guardedWriter)
  const letEverybodyGo = (startMs: number, signal: AbortSignal | null) =>
    drainConnections(io, { tellEverybody, startMs, toldAll: audience.toldAll, signal })
  const cutOff = watchCutOff({
    leaveAfterMs: backing.leaveAfterMs,
    isRoomWell: () => room.isWritable(),
    // Clients need not wait for a start, because the other nodes are running.
    leave: (signal) => void letEverybodyGo(0, signal),
    log,
  })
  const gate = createEngineGate({
    isAllowedOrigin,
    addressOf,
    admission,
    pressure,
    isDraining: () => draining || cutOff.isCutOff(),
    onRefused: noteRefusal,
  })
  const { admit } = guardConnections({ engine, gate, admission, guard, abilities, onRefused: noteRefusal, log })
  serveConnections(io, {
    sessions,
    room,
    audience,
    presence,
    roster,
    sendRate,
    answers,
    abilities,
    admit,
    watchReader: guardedWriter.watch,
    guard,
    onRefused: noteRefusal,
    log,
  })

  const tokenSweep = sweepTokens(backing.accounts, log)
  const memory = watchMemory(
    createSparseWarning((heap: Heap) =>
      log.error(heap, 'the memory is nearly used up; the process will end when it is (see node --max-old-space-size)'),
    ),
  )

  let startMs = 0
  let metricsServer: { close: () => void } | undefined
  let requestGate: { stop: () => void } | undefined

  return {
    async listen(): Promise<number> {
      const { port, host, metricsPort } = settings
      if (metricsPort !== undefined) metricsServer = await metrics.serve(metricsPort)
      await app.ready()
      requestGate = gateRequests(app.server, {
        maxConnectionsPerIp: settings.maxConnectionsPerIp,
        clientAddress,
        endMidway,
        guard,
        onRefused: noteRefusal,
        log,
      })
      guardListeners(app.server, guard)
      // Not Fastify's own listen: without a host that one takes only loopback.
      app.server.listen({ port, host })
      await once(app.server, 'listening')
      startMs = performance.now()
      return (app.server.address() as AddressInfo).port
    },

    /** Ends gently: what was accepted is stored and answered, then each client is let go to come back elsewhere. */
    async drain(): Promise<void> {
      draining = true
      await letEverybodyGo(backing.leaveAfterMs === null ? startMs : 0, null)
      await stopListening(app.server)
      await this.close()
    },

    async close(): Promise<void> {
      tokenSweep.stop()
      accountsHealth.stop()
      cutOff.stop()
      metricsServer?.close()
      requestGate?.stop()
      httpRefusals.stop()
      memory.stop()
      presence.stop()
      await roster.close()
      guardedWriter.stop()
      heartbeats.stop()
      pressure.stop()
      await room.close()
      const closed = io.close()
      // It waits for every connection, also for one that never said a word.
      app.server.closeAllConnections()
      await closed
      await app.close()
      await backing.close()
    },
  }
}
