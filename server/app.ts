import type { Logger } from 'pino'
import { openAccounts } from './accounts/open-accounts.ts'
import { faultPointFrom } from './base/fault-point.ts'
import { readVersion } from './base/version.ts'
import type { Settings } from './config/settings.ts'
import { openLimits } from './limits/open-limits.ts'
import { openModeration } from './moderation/open-moderation.ts'
import { createEventSink } from './observe/event-sink.ts'
import { monitorMemory } from './observe/memory-monitor.ts'
import { createMetricsRecorder } from './observe/metrics-recorder.ts'
import type { ModuleContext } from './observe/module-context.ts'
import { openRoom } from './room/open-room.ts'
import { openStorage } from './storage/open-storage.ts'
import { openAdmin } from './transport/admin/open-admin.ts'
import { openHttp } from './transport/http/open-http.ts'
import { createReadinessCheck } from './transport/http/readiness.ts'
import { openDelivery } from './transport/sockets/open-delivery.ts'
import { openSockets } from './transport/sockets/open-sockets.ts'

export interface ServerOptions {
  settings: Settings
  log: Logger
  /** Library internals that count as missing. The list is empty except in tests of the slow path. */
  hiddenInternals: readonly string[]
}

/**
 * Composes the server. Each module registers its own cleanup. `close` runs the cleanups in reverse order of
 * construction.
 */
export async function createServer(options: ServerOptions) {
  const resources = new AsyncDisposableStack()
  try {
    return await composeServer(options, resources)
  } catch (error) {
    await resources
      .disposeAsync()
      .catch((closeError: unknown) =>
        options.log.error({ err: closeError }, 'start failed: resources could not be closed'),
      )
    throw error
  }
}

async function composeServer({ settings, log, hiddenInternals }: ServerOptions, resources: AsyncDisposableStack) {
  const metrics = await createMetricsRecorder(settings.metricsPort !== undefined)
  const report = createEventSink(log, metrics)
  const context: ModuleContext = { settings, report, metrics, resources }
  let isDraining = false

  resources.defer(monitorMemory(report).stop)
  const storage = await openStorage(context)
  const limits = openLimits(context)
  const writers = openDelivery(context, hiddenInternals)
  const { messageLog, openRoster, isReadyWithoutAccounts, isolatedAfterMs } = storage
  const { room, audience, presence, roster } = openRoom(context, {
    messageLog,
    openRoster,
    delivery: writers.delivery,
    batchAcks: (acknowledgeAll) => writers.acks.gather(acknowledgeAll),
    faultPoint: faultPointFrom(process.env),
  })
  const moderation = await openModeration(context, {
    store: storage.accounts.moderation,
    log: messageLog,
    bus: storage.bus,
  })
  const { accounts, admin, sessions, health } = openAccounts(context, {
    store: storage.accounts,
    ledger: storage.logins,
    bus: storage.bus,
    policy: moderation,
  })
  const http = await openHttp(context, {
    log,
    accounts,
    pressure: limits.pressure,
    checkReadiness: createReadinessCheck({
      isDraining: () => isDraining,
      isWritable: room.isWritable,
      accounts: health,
      isReadyWithoutAccounts,
    }),
  })
  const sockets = openSockets(context, {
    http,
    sessions,
    moderation,
    room,
    audience,
    presence,
    roster,
    limits,
    writers,
    isolatedAfterMs,
    isDraining: () => isDraining,
  })
  await openAdmin(context, {
    accounts: admin,
    moderation,
    log: messageLog,
    statistics: () => ({
      version: readVersion(),
      uptimeSeconds: Math.floor(process.uptime()),
      connections: sockets.countConnections(),
      messages: messageLog.bounds(),
    }),
  })
  let startMs = 0

  return {
    /** Moderation, through which tests act as the operator. */
    moderation,

    /** Listens and returns the port. */
    async listen(): Promise<number> {
      const { metricsPort } = settings
      if (metricsPort !== undefined) resources.defer((await metrics.serve(metricsPort)).close)
      const port = await http.listen()
      startMs = performance.now()
      return port
    },

    /**
     * Shuts down gracefully: acknowledges accepted messages, closes the connections in steps, then closes the server.
     */
    async drain(): Promise<void> {
      isDraining = true
      await sockets.drain(isolatedAfterMs === null ? startMs : 0)
      await http.stopListening()
      await resources.disposeAsync()
    },

    /** Closes the server at once. Rejects when storage hangs: then only SIGKILL ends the process. */
    close: () => resources.disposeAsync(),
  }
}
