import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { limitedNetworks, type Networks } from '../../../limits/addresses.ts'
import type { RequestBudget } from '../../../limits/request-budget.ts'
import type { Report } from '../../../observe/events.ts'
import type { RejectionReason } from '../../../observe/reasons.ts'
import type { ClientAddress } from '../client-address.ts'
import { abortConnection } from '../../fast-path/abort-connection.ts'
import type { Origins } from '../origins.ts'
import type { ProtectionStep } from './protect-server.ts'
import { preparedRejection } from './raw-rejection.ts'
import { headRejection } from './request-heads.ts'
import { isSocketRequest } from './socket-request.ts'

interface ChargeDeps {
  budget: RequestBudget
  /** Budget of requests that pages of other sites make in a visitor's browser. They do not count for the visitor. */
  foreignBudget: RequestBudget
  /** Returns whether the requests of these networks have used too much CPU time. */
  isTooCostly: (networks: Networks | null) => boolean
  networksOf: (request: IncomingMessage) => Networks | null
  isProxy: ClientAddress['isProxy']
  origins: Pick<Origins, 'isForeign' | 'isOwnHost'>
  report: Report
}

const retrySeconds = 10
const tooMany = preparedRejection(
  429,
  { code: 'rate_limited', message: 'Too many requests from this address.' },
  { 'Retry-After': retrySeconds },
)
const otherHost = preparedRejection(403, { code: 'forbidden', message: 'This host name is not allowed.' })

/**
 * Charges every request to the budget of its address, before a listener of the server handles it. Beyond the budget, or
 * for an invalid head, the connection is closed, normally after a prepared response. If the client continues, its further
 * connections are closed at accept, unless they come through a trusted proxy, whose connections carry requests of many
 * clients.
 */
export function chargeRequests({
  budget,
  foreignBudget,
  isTooCostly,
  networksOf,
  isProxy,
  origins,
  report,
}: ChargeDeps): ProtectionStep {
  const reject = (reason: RejectionReason) => report({ type: 'request-rejected', reason })
  const budgetOf = (request: IncomingMessage) => (origins.isForeign(request) ? foreignBudget : budget)
  /** Connections without a request. Each one was charged as a request. */
  const unused = new WeakSet<Socket>()

  function networksOfPeer({ remoteAddress = '' }: Socket): Networks | null {
    return isProxy(remoteAddress) ? null : limitedNetworks(remoteAddress)
  }

  /**
   * Returns the networks to charge for a malformed request. Such a request names no client, so the malformed requests
   * of a trusted proxy have a separate budget.
   */
  function networksOfMalformed(socket: Socket): Networks | null {
    const { remoteAddress = '' } = socket
    if (!isProxy(remoteAddress)) return networksOfPeer(socket)
    return { address: `malformed requests of ${remoteAddress}`, site: null, network: null }
  }

  function rejectionFor(request: IncomingMessage, networks: Networks | null): Buffer | null {
    const charged = budgetOf(request)
    const isFirst = unused.delete(request.socket)
    if (!charged.take(networks) || (isTooCostly(networks) && !continuesSession(request))) {
      reject('http_429')
      return tooMany
    }
    // A page of another site caused this connection, so the charge to the visitor's budget is returned.
    if (isFirst && charged === foreignBudget) budget.spendRequest(networks, -1)
    const rejection = headRejection(request)
    if (rejection !== null) {
      reject(rejection.reason)
      return rejection.response
    }
    const { host } = request.headers
    if (origins.isOwnHost(host)) return null
    reject('http_403')
    report({ type: 'host-rejected', host: host ?? '' })
    return otherHost
  }

  /** Charges the bytes of a response. Polling responses are excluded: `byte-budget.ts` limits replays and lists. */
  function chargeBytes(request: IncomingMessage, response: ServerResponse, networks: Networks | null): void {
    if (networks === null || isSocketRequest(request)) return
    const { socket } = request
    const before = socket.bytesWritten
    const charged = budgetOf(request)
    response.once('close', () => charged.spendBytes(networks, socket.bytesWritten - before))
  }

  return {
    onConnection(socket) {
      const networks = networksOfPeer(socket)
      if (budget.isBlocked(networks)) {
        reject('tcp_per_address')
        socket.destroy()
      } else {
        budget.spendRequest(networks)
        if (networks !== null) unused.add(socket)
      }
    },
    onRequest(request, response, next) {
      const { socket } = request
      if (socket.destroyed) return
      const networks = networksOf(request)
      const rejection = rejectionFor(request, networks)
      if (rejection === null) {
        chargeBytes(request, response, networks)
        next()
      } else if (response.socket === null) {
        // An earlier request of the connection has no response yet: the client would treat the rejection as the
        // response to that request.
        abortConnection(socket)
      } else abortConnection(socket, rejection)
    },
    onUpgrade(request, socket, _head, next) {
      const rejection = rejectionFor(request, networksOf(request))
      if (rejection === null) return next()
      socket.on('error', () => socket.destroy())
      abortConnection(request.socket, rejection)
    },
    onClientError(_error, socket, next) {
      if (budget.take(networksOfMalformed(socket))) return next()
      reject('http_429')
      socket.destroy()
    },
  }
}

/** Returns whether a request continues a polling session. The cost of such a request is charged to the session. */
function continuesSession(request: IncomingMessage): boolean {
  return isSocketRequest(request) && request.url?.includes('&sid=') === true
}
