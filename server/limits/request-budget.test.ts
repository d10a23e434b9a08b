import { expect, test } from 'vitest'
import { limitedNetworks } from './addresses.ts'
import { createRequestBudget, blockMs } from './request-budget.ts'

const people = 256 + 64
const burst = people * 20

function budgetAt(maxConnectionsPerIp = 256) {
  let nowMs = 1_000_000
  const budget = createRequestBudget(maxConnectionsPerIp, () => nowMs)
  const ask = (address: string, times: number) => {
    const networks = limitedNetworks(address)
    let served = 0
    for (let i = 0; i < times; i++) if (budget.take(networks)) served++
    return served
  }
  const isShutOut = (address: string) => budget.isBlocked(limitedNetworks(address))
  return { budget, ask, isShutOut, wait: (ms: number) => (nowMs += ms) }
}

test('SECURITY-3 everybody behind one address loads the page at once, and a flood is refused', () => {
  const { ask, wait } = budgetAt()
  expect(ask('203.0.113.7', 256 * 25)).toBe(256 * 25)
  expect(ask('203.0.113.7', 50)).toBe(0)
  expect(ask('198.51.100.1', 20)).toBe(20)
  wait(1_000)
  expect(ask('203.0.113.7', 330)).toBe(people)
})

test('SECURITY-3 who goes on after a refusal is shut out for a while, and nobody beside it', () => {
  const { ask, isShutOut, wait } = budgetAt()
  ask('203.0.113.7', burst + 100)
  expect(isShutOut('203.0.113.7')).toBe(false)
  ask('203.0.113.7', 1)
  expect(isShutOut('203.0.113.7')).toBe(true)
  expect(isShutOut('203.0.113.8')).toBe(false)
  expect(ask('203.0.113.8', 20)).toBe(20)
  wait(blockMs)
  expect(isShutOut('203.0.113.7')).toBe(false)
  expect(ask('203.0.113.7', 20)).toBe(20)
})

test('LIMITS-1 the requests of a whole /48 are counted together, and it is shut out as one', () => {
  const { budget, ask, isShutOut } = budgetAt(1)
  const ofNetwork = 65 * 20 * 4
  let served = 0
  for (let i = 0; i < ofNetwork + 200; i++) served += ask(`2001:db8:1:${i.toString(16)}::1`, 1)
  expect(served).toBe(ofNetwork)
  expect(isShutOut('2001:db8:1:ffff::1')).toBe(true)
  expect(isShutOut('2001:db8:2:ffff::1')).toBe(false)
  expect(budget.size()).toBeLessThan(20_000)
})

test('SECURITY-3 bytes are a budget of their own', () => {
  const { budget, ask, wait } = budgetAt()
  budget.spendBytes(limitedNetworks('203.0.113.7'), people * 262_144)
  expect(ask('203.0.113.7', 1)).toBe(0)
  wait(1_000)
  expect(ask('203.0.113.7', 1)).toBe(1)
})

test('SECURITY-3 loopback has no budget, nor has anybody where connections have no limit', () => {
  expect(budgetAt().ask('127.0.0.1', 100_000)).toBe(100_000)
  expect(budgetAt(0).ask('203.0.113.7', 100_000)).toBe(100_000)
})
