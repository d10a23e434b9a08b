import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { wrapListeners } from './wrap-listeners.ts'

/**
 * Passes requests with an `Expect` header to the `request` listeners, where the limits are. Without it, Node answers them
 * itself: 417 for an unknown expectation, and 100 before a limit can reject the request. The server ignores an unknown
 * expectation, as RFC 9110 allows, and sends 100 to an admitted request. Call it before the limits wrap the listeners.
 */
export function passExpectations(server: Server): void {
  const expectsContinue = new WeakSet<IncomingMessage>()

  wrapListeners(server, 'request', (goOn, request: IncomingMessage, response: ServerResponse) => {
    if (expectsContinue.has(request)) response.writeContinue()
    goOn()
  })
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    expectsContinue.add(request)
    server.emit('request', request, response)
  })
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response)
  })
}
