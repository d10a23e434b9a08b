import type { Server } from 'node:http'
import { createRequestBudget } from '../../../limits/request-budget.ts'
import type { ModuleContext } from '../../../observe/module-context.ts'
import type { ClientAddress } from '../client-address.ts'
import type { Origins } from '../origins.ts'
import { chargeRequests } from './charge-requests.ts'
import { continueExpected } from './expectations.ts'
import { closeIdleWhenScarce } from './idle-connections.ts'
import { limitRequests } from './limit-requests.ts'
import { rejectOtherUpgrades } from './malformed-requests.ts'
import type { ProtectionStep } from './protect-server.ts'
import type { RequestCost } from './request-cost.ts'
import { createRequestTurns } from './request-turns.ts'
import { limitTcpConnections, maxTcpConnections } from './tcp-connections.ts'

/**
 * Divisor of the connection limit of an address. The quotient sets the budget of requests that pages of other sites make.
 */
export const foreignPart = 4

interface ProtectionDeps {
  clientAddress: Pick<ClientAddress, 'networksOf' | 'isProxy'>
  origins: Pick<Origins, 'isForeign' | 'isOwnHost'>
  requestCost: RequestCost
}

/**
 * Creates the steps that every request passes, in this order, before a listener routes it. Cheap rejections come first.
 * Node responds to no request itself: `requireHostHeader` is off, and requests with an `Expect` header pass the steps too.
 */
export function createProtectionSteps(
  server: Server,
  { settings, report, resources }: ModuleContext,
  { clientAddress, origins, requestCost }: ProtectionDeps,
): readonly ProtectionStep[] {
  const { maxConnectionsPerIp } = settings
  const { networksOf, isProxy } = clientAddress
  const unanswered = limitRequests({
    maxUnansweredPerAddress: maxTcpConnections(maxConnectionsPerIp),
    networksOf,
    report,
  })
  resources.defer(unanswered.stop)
  const { readInTurns, serveInTurns } = createRequestTurns(networksOf)
  return [
    readInTurns,
    limitTcpConnections(maxConnectionsPerIp, isProxy, report),
    closeIdleWhenScarce(server),
    chargeRequests({
      budget: createRequestBudget(maxConnectionsPerIp),
      foreignBudget: createRequestBudget(Math.ceil(maxConnectionsPerIp / foreignPart)),
      isTooCostly: requestCost.isOverLimit,
      networksOf,
      isProxy,
      origins,
      report,
    }),
    unanswered.step,
    serveInTurns,
    continueExpected(server),
    rejectOtherUpgrades(report),
    requestCost.step,
  ]
}
