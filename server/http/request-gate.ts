import type { IncomingMessage, Server } from 'node:http'
import type { Logger } from 'pino'
import type { Guard } from '../guard.ts'
import { createRequestBudget } from '../limits/request-budget.ts'
import type { NoteRefusal } from '../refusals.ts'
import { chargeRequests } from './charge-requests.ts'
import type { ClientAddress } from './client-address.ts'
import { closeIdleWhenScarce } from './idle-connections.ts'
import type { EndMidway } from './end-midway.ts'
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

/** What every request passes before anything routes it, whoever its listeners are; to be put up when all of them stand. */
export function gateRequests(
  server: Server,
  { maxConnectionsPerIp, clientAddress, endMidway, guard, onRefused, log }: RequestGateDeps,
): { stop: () => void } {
  const { networksOf, isProxy } = clientAddress
  const keyOf = (request: IncomingMessage) => networksOf(request)?.address ?? null
  // The last of these comes first: what it refuses costs nothing further.
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
