import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, expect, test, vi } from 'vitest'
import { addressCost } from '../../../limits/cost-meter.ts'
import { networksOf } from '../../../limits/addresses.ts'
import { createRequestCost } from './request-cost.ts'

afterEach(() => void vi.restoreAllMocks())

test('LIMITS-8 the CPU time of requests is charged to their address, not to other addresses', () => {
  let nowMs = 0
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  vi.spyOn(process, 'threadCpuUsage').mockImplementation(() => ({ user: nowMs * 1_000, system: 0 }))
  const [attacker, visitor] = [networksOf('203.0.113.7'), networksOf('198.51.100.7')]
  const cost = createRequestCost(() => attacker)
  const request = {} as IncomingMessage
  const serve = (ms: number) => cost.step.onRequest?.(request, {} as ServerResponse, () => (nowMs += ms))
  serve(addressCost.burst)
  expect(cost.isOverLimit(attacker)).toBe(false)
  serve(50)
  expect([cost.isOverLimit(attacker), cost.isOverLimit(visitor)]).toStrictEqual([true, false])
  // The server parses a body after the listeners have returned.
  const parser = createRequestCost(() => attacker)
  parser.measure(request, () => (nowMs += addressCost.burst + 50))
  expect(parser.isOverLimit(attacker)).toBe(true)
})
