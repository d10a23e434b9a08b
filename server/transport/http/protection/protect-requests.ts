import type { IncomingMessage, Server } from 'node:http'
import type { Logger } from 'pino'
import type { Guard } from '../../../base/error-guard.ts'
import { createRequestBudget } from '../../../limits/request-budget.ts'
import type { NoteRefusal } from '../../../observe/rejections.ts'
import { chargeRequests } from './charge-requests.ts'
import type { ClientAddress } from '../client-address.ts'
import type { EndMidway } from '../../fast-path/abort-request.ts'
import { passExpectations } from './expectations.ts'
import { closeIdleWhenScarce } from './idle-connections.ts'
import { limitRequests } from './limit-requests.ts'
import { serveInTurns } from './request-turns.ts'
import { maxTcpConnections } from './tcp-connections.ts'

interface RequestGateDeps {
  maxConnectionsPerIp: number
  clientAddress: Pick<ClientAddress, 'networksOf' | 'isProxy'>
  endMidway: EndMidway
  guard: Guard
  onRefused: NoteRefusal
  log: Logger
}

/**
 * Puts the limits before all `request`, `upgrade` and `clientError` listeners. Call it when every listener is registered.
 * Node answers no request itself: `requireHostHeader` is off, and `Expect` headers are handled here.
 */
export function gateRequests(
  server: Server,
  { maxConnectionsPerIp, clientAddress, endMidway, guard, onRefused, log }: RequestGateDeps,
): { stop: () => void } {
  const { networksOf, isProxy } = clientAddress
  const keyOf = (request: IncomingMessage) => networksOf(request)?.address ?? null
  // Each of these wraps the ones before it: the last call checks a request first.
  passExpectations(server)
  serveInTurns(server, { keyOf, guard })
  const limits = limitRequests(server, {
    maxUnansweredPerAddress: maxTcpConnections(maxConnectionsPerIp),
    keyOf,
    endMidway,
    onEnded: (reason) => log.info({ reason }, 'closed a connection whose answers were not read'),
  })
  chargeRequests(server, {
    budget: createRequestBudget(maxConnectionsPerIp),
    networksOf,
    isProxy,
    endMidway,
    onRefused,
  })
  closeIdleWhenScarce(server)
  return limits
}
