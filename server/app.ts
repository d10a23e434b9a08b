import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { createAccounts } from './accounts/accounts.ts'
import { createPasswords } from './accounts/login/passwords.ts'
import { createSessions } from './accounts/sessions/sessions.ts'
import { sweepTokens } from './accounts/sessions/token-sweep.ts'
import { watchAccounts } from './accounts/account-health.ts'
import { openBacking } from './storage/open-storage.ts'
import { createCounting } from './observe/metrics-recorder.ts'
import { createAckBatch } from './transport/fast-path/ack-batch.ts'
import { createGuardedWriter } from './transport/sockets/guarded-writer.ts'
import { findAbilities } from './transport/fast-path/detect-capabilities.ts'
import { createSocketWriter } from './transport/fast-path/socket-writer.ts'
import { faultPointFrom } from './base/fault-point.ts'
import { createGuard } from './base/error-guard.ts'
import { accountRoutes } from './transport/http/account-routes.ts'
import { serveProbes } from './transport/http/health-routes.ts'
import { refuseOtherUpgrades } from './transport/http/protection/malformed-requests.ts'
import { findBuiltPages } from './transport/http/pages/built-pages.ts'
import { createClientAddress } from './transport/http/client-address.ts'
import { createEndMidway } from './transport/fast-path/abort-request.ts'
import { createEngineGate } from './transport/sockets/engine-gate.ts'
import { guardListeners } from './transport/http/protection/guard-listeners.ts'
import { createHttpServer } from './transport/http/http-server.ts'
import { createSparseWarning } from './observe/throttled-warning.ts'
import { type Heap, watchMemory } from './observe/memory-monitor.ts'
import { createOriginCheck, createOriginWarning } from './transport/http/origins.ts'
import { servePages } from './transport/http/pages/pages.ts'
import { stopListening } from './transport/http/stop-listening.ts'
import { gateRequests } from './transport/http/protection/protect-requests.ts'
import { limitAllTcpConnections, limitTcpConnections } from './transport/http/protection/tcp-connections.ts'
import { createAdmission } from './limits/admission.ts'
import { pressureLogLines, watchPressure } from './limits/event-loop-pressure.ts'
import { createRaidGuard, raidLogLines } from './limits/raid-guard.ts'
import { createSendRateLimit } from './limits/send-rate.ts'
import { createPresence } from './room/presence/presence.ts'
import { createAudience } from './room/deliver/audience.ts'
import { countHttpRefusals, createRefusals } from './observe/rejections.ts'
import { createRoom } from './room/send/room.ts'
import { retentionOf, type Settings } from './config/settings.ts'
import { createDelivery } from './transport/sockets/connection.ts'
import { watchCutOff } from './transport/sockets/isolation-monitor.ts'
import { drainConnections } from './transport/sockets/drain.ts'
import { guardConnections } from './transport/sockets/guard-connections.ts'
import { serveConnections } from './transport/sockets/serve-connections.ts'
import { countPages, createSocketServer } from './transport/sockets/socket-server.ts'
import { createTellEverybody } from './transport/sockets/broadcast-notice.ts'

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
