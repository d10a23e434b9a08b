import type { IncomingMessage } from 'node:http'
import { createCostMeter } from '../../../limits/cost-meter.ts'
import type { ClientAddress } from '../client-address.ts'
import type { ProtectionStep } from './protect-server.ts'

/**
 * Limits the CPU time that the requests of an address use. Above the limit, the server rejects further requests,
 * because requests have no lasting connection that it could close.
 */
export function createRequestCost(networksOf: ClientAddress['networksOf']) {
  const meter = createCostMeter<never>(() => undefined)

  /** Runs a synchronous part of a request and charges its time to the address. */
  function measure(request: IncomingMessage, work: () => void): void {
    const startedMs = meter.start()
    try {
      work()
    } finally {
      meter.charge(networksOf(request), null, meter.costSince(startedMs))
    }
  }

  const step: ProtectionStep = {
    onRequest: (request, _response, next) => measure(request, next),
    onUpgrade: 'pass',
  }
  return {
    measure,
    /** Step that charges the CPU time of the listeners of a request to its address. */
    step,
    /** Returns whether the requests of this address have used too much CPU time. */
    isOverLimit: (networks: ReturnType<ClientAddress['networksOf']>) => meter.waitMs(networks) > 0,
  }
}

export type RequestCost = ReturnType<typeof createRequestCost>
