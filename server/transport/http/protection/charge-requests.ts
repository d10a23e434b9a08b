import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { socketPath } from '../../../../contract/routes.ts'
import { limitedNetworks, type Networks } from '../../../limits/addresses.ts'
import type { RequestBudget } from '../../../limits/request-budget.ts'
import type { Report } from '../../../observe/events.ts'
import type { RejectionReason } from '../../../observe/reasons.ts'
import type { ClientAddress } from '../client-address.ts'
import { abortConnection } from '../../fast-path/abort-connection.ts'
import type { ProtectionStep } from './protect-server.ts'
import { preparedRejection } from './raw-rejection.ts'
import { headRejection } from './request-heads.ts'

interface ChargeDeps {
  budget: RequestBudget
  /** Whether the requests of these networks have used too much processor time. */
  isTooCostly: (networks: Networks | null) => boolean
  networksOf: (request: IncomingMessage) => Networks | null
  isProxy: ClientAddress['isProxy']
  report: Report
}

const retrySeconds = 10
const tooMany = preparedRejection(
  429,
  { code: 'rate_limited', message: 'Too many requests from this address.' },
  { 'Retry-After': retrySeconds },
)

/**
 * Charges every request to the budget of its address, before anything else looks at it. Beyond the budget, the client
 * gets a prepared response and its connection is closed. Further connections are closed at accept, unless they come
 * through a trusted proxy, whose connections belong to many clients.
 */
export function chargeRequests({ budget, isTooCostly, networksOf, isProxy, report }: ChargeDeps): ProtectionStep {
  const reject = (reason: RejectionReason) => report({ type: 'request-rejected', reason })

  function networksOfPeer({ remoteAddress = '' }: Socket): Networks | null {
    return isProxy(remoteAddress) ? null : limitedNetworks(remoteAddress)
  }

  function rejectionFor(request: IncomingMessage, networks: Networks | null): Buffer | null {
    if (!budget.take(networks) || (isTooCostly(networks) && !continuesSession(request))) {
      reject('http_429')
      return tooMany
    }
    const rejection = headRejection(request)
    if (rejection === null) return null
    reject(rejection.reason)
    return rejection.response
  }

  /** Charges the bytes of a response. Polling responses are excluded: the messages of the room bound them. */
  function chargeBytes({ socket, url }: IncomingMessage, response: ServerResponse, networks: Networks | null): void {
    if (networks === null || url?.startsWith(socketPath) === true) return
    const before = socket.bytesWritten
    response.once('close', () => budget.spendBytes(networks, socket.bytesWritten - before))
  }

  return {
    onConnection(socket) {
      const networks = networksOfPeer(socket)
      if (budget.isBlocked(networks)) {
        reject('tcp_per_address')
        socket.destroy()
      } else budget.spendRequest(networks)
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
        // An earlier request of the connection is unanswered: the client would take the rejection for its response.
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
      if (budget.take(networksOfPeer(socket))) return next()
      reject('http_429')
      socket.destroy()
    },
  }
}

/** Whether a request belongs to a polling session. Its cost is charged to the session. */
function continuesSession({ url }: IncomingMessage): boolean {
  return url?.startsWith(socketPath) === true && url.includes('&sid=')
}
