import { expect, test } from 'vitest'
import { networksOf } from './addresses.ts'
import { addressCost, createCostMeter, freeMs, maxDebtMs } from './cost-meter.ts'

const nat = networksOf('203.0.113.7')

/** Creates a meter with a fake clock that the simulated inputs advance. */
function createClockedMeter() {
  let [nowMs, waitedMs] = [1_000, 0]
  const closed: string[] = []
  const meter = createCostMeter<{ name: string }>(({ name }) => closed.push(name), {
    now: () => nowMs,
    cpuMs: () => nowMs - waitedMs,
  })
  return {
    meter,
    now: () => nowMs,
    closed,
    pass: (ms: number) => void (nowMs += ms),
    /** Simulates an input during which the process waits this long for a core. */
    wait: (connection: { name: string }, ms: number): void => {
      const startedMs = meter.start()
      nowMs += ms
      waitedMs += ms
      meter.charge(nat, connection, meter.costSince(startedMs))
    },
    /** Simulates an input of a connection that uses this much CPU time. */
    input: (connection: { name: string } | null, ms: number, networks = nat): void => {
      const startedMs = meter.start()
      nowMs += ms
      meter.charge(networks, connection, meter.costSince(startedMs))
    },
  }
}

test('LIMITS-8 inputs of a millisecond are free, however many there are', () => {
  const { meter, closed, input } = createClockedMeter()
  for (let i = 0; i < 10_000; i++) input({ name: 'busy' }, freeMs)
  expect([closed, meter.waitMs(nat), meter.size()]).toStrictEqual([[], 0, 0])
})

test('LIMITS-8 a connection above its own limit is closed before its address is at its limit', () => {
  const { meter, closed, input, pass } = createClockedMeter()
  const [costly, other] = [{ name: 'costly' }, { name: 'other' }]
  input(other, 5)
  for (let i = 0; closed.length === 0; i++) {
    input(costly, 31)
    pass(100)
    expect(i).toBeLessThan(10)
  }
  expect([closed, meter.waitMs(nat)]).toStrictEqual([['costly'], 0])
})

test('LIMITS-8 the costliest connections of an address are closed first, others stay open', () => {
  const { closed, input } = createClockedMeter()
  const honest = Array.from({ length: 20 }, (_, index) => ({ name: `honest ${index}` }))
  const costly = Array.from({ length: 5 }, (_, index) => ({ name: `costly ${index}` }))
  // Garbage collection delays any input now and then.
  for (const connection of honest) input(connection, 3)
  for (let round = 0; round < 3; round++) for (const connection of costly) input(connection, 31)
  expect(closed.length).toBeGreaterThan(0)
  expect(closed.filter((name) => name.startsWith('honest'))).toStrictEqual([])
})

test('LIMITS-8 a connection with little cost stays open although its address is over the limit', () => {
  const { meter, closed, input } = createClockedMeter()
  for (let i = 0; i < 10; i++) input({ name: `costly ${i}` }, 31)
  expect(meter.waitMs(nat)).toBeGreaterThan(0)
  const closedBefore = closed.length
  input({ name: 'honest' }, 5)
  expect(closed.slice(closedBefore).filter((name) => name === 'honest')).toStrictEqual([])
})

test('LIMITS-8 the time for which the process waits for a core is not charged', () => {
  const { meter, closed, wait } = createClockedMeter()
  for (let i = 0; i < 100; i++) wait({ name: 'honest' }, 50)
  expect([closed, meter.waitMs(nat)]).toStrictEqual([[], 0])
})

test('LIMITS-8 an input that waits for a core is not charged for the free inputs before it', () => {
  const { meter, closed, wait, input } = createClockedMeter()
  const chatty = { name: 'chatty' }
  for (let i = 0; i < 100; i++) {
    for (let free = 0; free < 40; free++) input(chatty, freeMs)
    wait(chatty, 50)
  }
  expect([closed, meter.waitMs(nat)]).toStrictEqual([[], 0])
})

test('LIMITS-8 an address that always opens new connections for costly inputs uses a tenth of a core', () => {
  const { meter, now, input, pass } = createClockedMeter()
  const seconds = 60
  let usedMs = 0
  for (const startMs = now(); now() - startMs < seconds * 1_000; pass(1)) {
    if (meter.waitMs(nat) > 0) continue
    input({ name: 'new' }, 31)
    usedMs += 31
  }
  expect(usedMs).toBeLessThan(addressCost.perSecond * seconds * 1.1 + addressCost.burst)
  expect(usedMs).toBeGreaterThan(addressCost.perSecond * seconds * 0.9)
})

test('LIMITS-8 an address whose open connections each send one costly input is paused at a small debt', () => {
  const { meter, closed, input, pass } = createClockedMeter()
  let inputs = 0
  while (meter.inputWaitMs(nat) === 0) input({ name: `${inputs++}` }, 31)
  expect(inputs).toBeLessThan((addressCost.burst + maxDebtMs) / 20)
  expect(closed.length).toBeGreaterThan(inputs / 2)
  expect(meter.inputWaitMs(networksOf('198.51.100.1'))).toBe(0)
  pass(meter.inputWaitMs(nat))
  expect([meter.inputWaitMs(nat), meter.waitMs(nat) > 0]).toStrictEqual([0, true])
})

test('LIMITS-8 the addresses of a /48 together use at most twice as much as one address', () => {
  const { meter, input } = createClockedMeter()
  let usedMs = 0
  for (let i = 0; i < 1_000; i++) {
    const networks = networksOf(`2001:db8:1:${i.toString(16)}::1`)
    if (meter.waitMs(networks) > 0) continue
    input({ name: 'any' }, 31, networks)
    usedMs += 31
  }
  expect(usedMs).toBeLessThan(addressCost.burst * 2 * 1.5)
})

test('LIMITS-8 a pause of the whole process does not block an address for long', () => {
  const { meter, input } = createClockedMeter()
  input(null, 3_600_000)
  expect(meter.waitMs(nat)).toBeLessThanOrEqual(10_000)
})

test('LIMITS-8 the meter evicts connections without recent cost', () => {
  const { meter, input, pass } = createClockedMeter()
  for (let i = 0; i < 100; i++) {
    input({ name: `${i}` }, 2, networksOf(`198.51.${i}.1`))
    pass(10_000)
  }
  expect(meter.size()).toBeLessThan(20)
})
