import { expect, test } from 'vitest'
import { limitedNetworks } from './addresses.ts'
import { createRequestBudget, blockMs } from './request-budget.ts'

const visitors = 256 + 64
const burst = visitors * 20

function budgetAt(maxConnectionsPerIp = 256) {
  let nowMs = 1_000_000
  const budget = createRequestBudget(maxConnectionsPerIp, () => nowMs)
  const request = (address: string, times: number) => {
    const networks = limitedNetworks(address)
    let served = 0
    for (let i = 0; i < times; i++) if (budget.take(networks)) served++
    return served
  }
  const isBlocked = (address: string) => budget.isBlocked(limitedNetworks(address))
  return { budget, request, isBlocked, wait: (ms: number) => (nowMs += ms) }
}

test('SECURITY-3 all clients of an address can load the page at once, and a flood is rejected', () => {
  const { request, wait } = budgetAt()
  expect(request('203.0.113.7', 256 * 25)).toBe(256 * 25)
  expect(request('203.0.113.7', 50)).toBe(0)
  expect(request('198.51.100.1', 20)).toBe(20)
  wait(1_000)
  expect(request('203.0.113.7', 330)).toBe(visitors)
})

test('SECURITY-3 an address that continues after rejections is blocked for a while, its neighbours are not', () => {
  const { request, isBlocked, wait } = budgetAt()
  request('203.0.113.7', burst + 100)
  expect(isBlocked('203.0.113.7')).toBe(false)
  request('203.0.113.7', 1)
  expect(isBlocked('203.0.113.7')).toBe(true)
  expect(isBlocked('203.0.113.8')).toBe(false)
  expect(request('203.0.113.8', 20)).toBe(20)
  wait(blockMs)
  expect(isBlocked('203.0.113.7')).toBe(false)
  expect(request('203.0.113.7', 20)).toBe(20)
})

test('LIMITS-1 the requests of a /48 are counted together, and it is blocked as a whole', () => {
  const { budget, request, isBlocked } = budgetAt(1)
  const networkBurst = 65 * 20 * 4
  let served = 0
  for (let i = 0; i < networkBurst + 200; i++) served += request(`2001:db8:1:${i.toString(16)}::1`, 1)
  expect(served).toBe(networkBurst)
  expect(isBlocked('2001:db8:1:ffff::1')).toBe(true)
  expect(isBlocked('2001:db8:2:ffff::1')).toBe(false)
  expect(budget.size()).toBeLessThan(20_000)
})

test('SECURITY-3 bytes have their own budget', () => {
  const { budget, request, wait } = budgetAt()
  budget.spendBytes(limitedNetworks('203.0.113.7'), visitors * 262_144)
  expect(request('203.0.113.7', 1)).toBe(0)
  wait(1_000)
  expect(request('203.0.113.7', 1)).toBe(1)
})

test('SECURITY-3 loopback has no limit, and without a connection limit no address has one', () => {
  expect(budgetAt().request('127.0.0.1', 100_000)).toBe(100_000)
  expect(budgetAt(0).request('203.0.113.7', 100_000)).toBe(100_000)
})
