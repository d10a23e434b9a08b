import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { ProtectionStep } from './protect-server.ts'

/**
 * Passes requests with an `Expect` header to the `request` event, which the protection handles. Sends 100 Continue when
 * a request has passed the steps before this one. Without this step, Node responds to such requests itself: 417 for an
 * unknown expectation, and 100 before a limit can reject the request. The server ignores an unknown expectation, as RFC
 * 9110 allows.
 */
export function continueExpected(server: Server): ProtectionStep {
  const expectsContinue = new WeakSet<IncomingMessage>()

  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    expectsContinue.add(request)
    server.emit('request', request, response)
  })
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response)
  })
  return {
    onRequest(request, response, next) {
      if (expectsContinue.has(request)) response.writeContinue()
      next()
    },
    onUpgrade: 'pass',
  }
}
