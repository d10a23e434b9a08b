import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { socketPath } from '../../../../contract/routes.ts'
import { limitedNetworks, type Networks } from '../../../limits/addresses.ts'
import type { RequestBudget } from '../../../limits/request-budget.ts'
import type { NoteRefusal } from '../../../observe/rejections.ts'
import type { ClientAddress } from '../client-address.ts'
import type { EndMidway } from '../../fast-path/abort-request.ts'
import { preparedRefusal } from './raw-rejection.ts'
import { wrapListeners } from './wrap-listeners.ts'

interface ChargeDeps {
  budget: RequestBudget
  networksOf: (request: IncomingMessage) => Networks | null
  isProxy: ClientAddress['isProxy']
  endMidway: EndMidway
  onRefused: NoteRefusal
}

const retrySeconds = 10
const tooMany = preparedRefusal(
  429,
  { code: 'rate_limited', message: 'This address asks for far too much.' },
  { 'Retry-After': retrySeconds },
)
const notOneHost = preparedRefusal(400, { code: 'invalid', message: 'A request must have one Host header.' })

/**
 * Charges whoever asks for every request, before anything looks at it; beyond the budget a few prepared bytes are all
 * that it gets, and the end of its connection. Who goes on is closed at accept, unless it comes through a named proxy,
 * whose connections are everybody's.
 */
export function chargeRequests(
  server: Server,
  { budget, networksOf, isProxy, endMidway, onRefused }: ChargeDeps,
): void {
  server.on('connection', (socket: Socket) => {
    const networks = networksOfPeer(socket)
    if (budget.isBlocked(networks)) {
      onRefused('tcp_per_address')
      socket.destroy()
    } else budget.spendRequest(networks)
  })

  wrapListeners(server, 'request', (goOn, request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    if (socket.destroyed) return
    const networks = networksOf(request)
    const refusal = refusalFor(request, networks)
    if (refusal === null) {
      chargeBytes(request, response, networks)
      goOn()
    } else if (response.socket === null) {
      // Behind another request on its connection, whose answer this would be taken for.
      endMidway(socket)
    } else endMidway(socket, refusal)
  })
  wrapListeners(server, 'upgrade', (goOn, request: IncomingMessage, socket: Duplex) => {
    const refusal = refusalFor(request, networksOf(request))
    if (refusal === null) return goOn()
    socket.on('error', () => socket.destroy())
    endMidway(request.socket, refusal)
  })
  wrapListeners(server, 'clientError', (goOn, _error: Error, socket: Socket) => {
    if (budget.take(networksOfPeer(socket))) return goOn()
    onRefused('http_429')
    socket.destroy()
  })

  function networksOfPeer({ remoteAddress = '' }: Socket): Networks | null {
    return isProxy(remoteAddress) ? null : limitedNetworks(remoteAddress)
  }

  function refusalFor(request: IncomingMessage, networks: Networks | null): Buffer | null {
    if (!budget.take(networks)) {
      onRefused('http_429')
      return tooMany
    }
    if (hasValidHosts(request)) return null
    onRefused('http_400')
    return notOneHost
  }

  /** What the room sends to those who poll is bounded by what is said in it. */
  function chargeBytes({ socket, url }: IncomingMessage, response: ServerResponse, networks: Networks | null): void {
    if (networks === null || url?.startsWith(socketPath) === true) return
    const before = socket.bytesWritten
    response.once('close', () => budget.spendBytes(networks, socket.bytesWritten - before))
  }
}

/**
 * Whether a request has exactly one Host header. With two, a proxy in front of the server may have used the other one.
 * HTTP/1.0 does not require the header: HAProxy's health checks leave it out.
 */
function hasValidHosts({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0')
}
