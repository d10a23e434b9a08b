import type { IncomingMessage } from 'node:http'
import type { CallRejectionCode } from '../../../contract/rejections.ts'
import { limitedNetworks } from '../../limits/addresses.ts'
import type { Admission, AdmissionState } from '../../limits/admission.ts'
import type { CostMeter } from '../../limits/cost-meter.ts'
import type { PressureWatch } from '../../limits/event-loop-pressure.ts'
import { RejectionError } from '../../base/rejection-error.ts'
import { otherOrigin, overloaded, restarting, tooCostly } from '../../base/common-rejections.ts'
import type { ClientAddress } from '../http/client-address.ts'
import { statusOf } from '../http/errors.ts'
import type { OriginCheck } from '../http/origins.ts'
import type { Report } from '../../observe/events.ts'
import { reasonOfStatus } from '../../observe/reasons.ts'
import { nodeHttp } from '../http/node-http.ts'
import { securityHeaders, rejectRaw } from '../http/protection/raw-rejection.ts'
import { sessionOf } from './engine-query.ts'

interface EngineGateDeps {
  isAllowedOrigin: OriginCheck
  addressOf: ClientAddress['addressOf']
  admission: Pick<Admission, 'admit'>
  pressure: Pick<PressureWatch, 'level'>
  cost: Pick<CostMeter<object>, 'waitMs'>
  /** Returns whether the server is draining: it serves open connections and rejects new ones. */
  isDraining: () => boolean
  report: Report
}

interface ResponseLike {
  setHeader(name: string, value: string): unknown
}

/**
 * Creates a middleware that checks every Engine.IO request of both transports. Engine.IO's `allowRequest` checks only
 * handshakes: a page of another origin could continue a session whose id it knows.
 */
export function createEngineGate({
  isAllowedOrigin,
  addressOf,
  admission,
  pressure,
  cost,
  isDraining,
  report,
}: EngineGateDeps) {
  const admissions = new WeakMap<IncomingMessage, AdmissionState>()

  function check(request: IncomingMessage): void {
    if (!isAllowedOrigin(request)) throw otherOrigin()
    if (sessionOf(request.url) !== null) return
    // A client retries after an HTTP error by itself. After a Socket.IO connect error, a plain client would not.
    if (isDraining()) throw restarting()
    if (pressure.level() === 'shed-connections') throw overloaded()
    const address = addressOf(request)
    const waitMs = cost.waitMs(limitedNetworks(address))
    if (waitMs > 0) throw tooCostly(waitMs)
    admissions.set(request, admission.admit(address))
  }

  function middleware(request: IncomingMessage, response: ResponseLike, next: () => void): void {
    try {
      check(request)
    } catch (error) {
      if (!(error instanceof RejectionError)) throw error
      const rejection = error as RejectionError<CallRejectionCode>
      // `reportHttpRejections` reports a `ServerResponse` when it has finished. For an upgrade, Engine.IO passes another object.
      if (!(response instanceof nodeHttp.ServerResponse)) {
        report({ type: 'request-rejected', reason: reasonOfStatus(statusOf[rejection.code]) })
      }
      rejectRaw(request, response, rejection)
      return
    }
    for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value)
    next()
  }

  return { middleware, admissionOf: (request: IncomingMessage) => admissions.get(request) }
}
