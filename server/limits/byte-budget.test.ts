import { expect, test } from 'vitest'
import { addressBytes, connectionBytes, createByteBudget } from './byte-budget.ts'

const maxConnections = 256
const pageBytes = 32 * 1_024
const perAddress = addressBytes(maxConnections)

function createClockedBudget(maxConnectionsPerIp = maxConnections) {
  let nowMs = 0
  return { budget: createByteBudget(maxConnectionsPerIp, () => nowMs), pass: (ms: number) => void (nowMs += ms) }
}

const connectionAt = (address: string) => ({ address })

test('LIMITS-9 a connection above its rate waits, and other connections of its address do not', () => {
  const { budget } = createClockedBudget()
  const greedy = connectionAt('203.0.113.7')
  expect(budget.reserve(greedy, connectionBytes.burst)).toBe(0)
  expect(budget.reserve(greedy, connectionBytes.perSecond)).toBe(1_000)
  expect(budget.take(greedy, 1)).toBe(false)
  expect(budget.reserve(connectionAt('203.0.113.7'), pageBytes)).toBe(0)
})

test('LIMITS-9 the pages of one address wait for each other, at the rate of the address', () => {
  const { budget } = createClockedBudget()
  const pages = Math.ceil((perAddress.burst + perAddress.perSecond * 3) / pageBytes)
  const waits = Array.from({ length: pages }, () => budget.reserve(connectionAt('203.0.113.7'), pageBytes))
  expect(waits.filter((waitMs) => waitMs === 0)).toHaveLength(perAddress.burst / pageBytes)
  expect(waits).toStrictEqual(waits.toSorted((a, b) => a - b))
  expect(waits.at(-1)).toBe(3_000)
  expect(budget.reserve(connectionAt('198.51.100.1'), pageBytes)).toBe(0)
})

test('LIMITS-9 a /48 has four times the bytes of one address', () => {
  const { budget } = createClockedBudget()
  let bytes = 0
  for (let i = 0; budget.take(connectionAt(`2001:db8:1:${i.toString(16)}::1`), pageBytes); i++) bytes += pageBytes
  expect(bytes).toBe(perAddress.burst * 4)
  expect(budget.take(connectionAt('2001:db8:2::1'), pageBytes)).toBe(true)
})

test('LIMITS-9 the budget delays the replays of 256 clients of one address by less than five seconds', () => {
  const { budget } = createClockedBudget()
  const missedBytes = 500 * 250
  const clients = Array.from({ length: maxConnections }, () => connectionAt('203.0.113.7'))
  const waits = clients.map((client) => budget.reserve(client, missedBytes))
  expect(Math.max(...waits)).toBeLessThan(5_000)
})

test('LIMITS-9 the budget recovers, and loopback has no limit', () => {
  const { budget, pass } = createClockedBudget()
  const client = connectionAt('203.0.113.7')
  const waitMs = budget.reserve(client, connectionBytes.burst * 2)
  pass(waitMs)
  expect([budget.reserve(client, 0), budget.take(connectionAt('203.0.113.7'), 1)]).toStrictEqual([0, true])
  expect(budget.reserve(connectionAt('127.0.0.1'), 1e12)).toBe(0)
  expect(createClockedBudget(0).budget.reserve(client, 1e12)).toBe(0)
})
