import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import type { Accounts } from '../../accounts/accounts.ts'
import { createGuard } from '../../base/error-guard.ts'
import type { PressureWatch } from '../../limits/event-loop-pressure.ts'
import type { ModuleContext } from '../../observe/module-context.ts'
import { reportHttpRejections } from '../../observe/rejections.ts'
import { accountRoutes } from './account-routes.ts'
import { applyCallRules } from './call-rules.ts'
import { createClientAddress } from './client-address.ts'
import { type Readiness, serveProbes } from './health-routes.ts'
import { createHttpServer } from './http-server.ts'
import { createOrigins } from './origins.ts'
import { findBuiltPages } from './pages/built-pages.ts'
import { servePages } from './pages/pages.ts'
import { protectServer } from './protection/protect-server.ts'
import { createProtectionSteps } from './protection/protection-steps.ts'
import { createRequestCost } from './protection/request-cost.ts'
import { limitAllTcpConnections } from './protection/tcp-connections.ts'
import { stopListening } from './stop-listening.ts'

interface HttpDeps {
  /** Logger for Fastify's own lines. */
  log: Logger
  accounts: Accounts
  pressure: Pick<PressureWatch, 'level'>
  checkReadiness: () => Promise<Readiness>
}

/** Opens the HTTP server with its routes. It listens when `listen` is called. */
export async function openHttp(context: ModuleContext, deps: HttpDeps) {
  const { settings, report, resources } = context
  const clientAddress = createClientAddress(settings.trustProxy, report)
  const origins = createOrigins(settings, report)
  const { allows, isAllowedOrigin } = origins
  const requestCost = createRequestCost(clientAddress.networksOf)
  const app = await createHttpServer({
    log: deps.log,
    report,
    isSecure: clientAddress.isSecure,
    measure: requestCost.measure,
  })
  resources.defer(() => app.close())
  const { server } = app
  limitAllTcpConnections(server, report)
  resources.defer(reportHttpRejections(server, report).stop)
  const pages = servePages(app, findBuiltPages())
  const { addressOf } = clientAddress
  await app.register(async (calls) => {
    applyCallRules(calls, isAllowedOrigin, deps.pressure)
    await calls.register(accountRoutes, { accounts: deps.accounts, pages, addressOf })
  })
  serveProbes(app, deps.checkReadiness)

  /**
   * Installs the protection, which then checks requests before the listeners handle them. `listen` calls it when every
   * module has added its own listeners.
   */
  function protect(): void {
    const steps = createProtectionSteps(server, context, { clientAddress, origins, requestCost })
    protectServer(server, steps, createGuard(report))
  }

  return {
    server,
    addressOf,
    allowsOrigin: allows,
    isAllowedOrigin,
    async listen(): Promise<number> {
      await app.ready()
      protect()
      // Without HOST, Fastify's own `listen` would listen on loopback only.
      server.listen({ port: settings.port, host: settings.host })
      await once(server, 'listening')
      return (server.address() as AddressInfo).port
    },
    stopListening: () => stopListening(server),
  }
}

export type Http = Awaited<ReturnType<typeof openHttp>>
