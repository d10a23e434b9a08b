import { PassThrough } from 'node:stream'
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { createRequestBudget } from '../../../limits/request-budget.ts'
import { createOrigins } from '../origins.ts'
import { chargeRequests } from './charge-requests.ts'

const proxy = '10.0.0.1'

/**
 * Sends up to `max` requests that Node cannot parse, each on its own connection, until a request gets no response.
 * Returns the number of responses.
 */
function sendMalformed(remoteAddress: string, max: number): number {
  const report = () => undefined
  const step = chargeRequests({
    budget: createRequestBudget(1, () => 0),
    foreignBudget: createRequestBudget(1, () => 0),
    isTooCostly: () => false,
    networksOf: () => null,
    isProxy: (address) => address === proxy,
    origins: createOrigins({ publicOrigins: [], allowedOrigins: [] }, report),
    report,
  })
  for (let responses = 0; responses < max; responses++) {
    const socket = Object.assign(new PassThrough(), { remoteAddress }) as unknown as Socket
    let hasPassed = false
    step.onClientError?.(new Error('timeout'), socket, () => (hasPassed = true))
    if (!hasPassed) {
      expect(socket.destroyed).toBe(true)
      return responses
    }
  }
  return max
}

test.each([
  ['a client', '203.0.113.7'],
  ['a trusted proxy', proxy],
])('SECURITY-3 requests of %s that cannot be parsed or time out have a budget', (_who, address) => {
  expect(sendMalformed(address, 5_000)).toBeLessThan(5_000)
})
