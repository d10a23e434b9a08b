import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { planTable, shapeTable } from './tables.ts'
import { simulateNode } from './simulate-node.ts'

/** From docs/bench, 1,000 clients: messages a second, µs of CPU per delivery, p99 in ms. */
const measured = [
  [300, 1.96, 35],
  [1_000, 0.72, 43.3],
  [2_000, 0.34, 53.7],
  [4_000, 0.2, 73.6],
] as const

test('SCALING-1 the simulation of one node is near what was measured of one', () => {
  for (const [messagesPerSecond, cpuUs, p99Ms] of measured) {
    const node = simulateNode({ pages: 1_000, messagesPerSecond, seconds: 4, seed: 7 })
    expect(node.cpuPerDeliveryUs / cpuUs, `CPU at ${messagesPerSecond} msg/s`).toBeGreaterThan(0.7)
    expect(node.cpuPerDeliveryUs / cpuUs, `CPU at ${messagesPerSecond} msg/s`).toBeLessThan(1.4)
    expect(node.p99Ms, `p99 at ${messagesPerSecond} msg/s`).toBeLessThan(p99Ms * 1.3)
  }
})

test('SCALING-1 docs/scaling.md says what the simulation says', () => {
  const page = readFileSync(new URL('../../docs/scaling.md', import.meta.url), 'utf8')
  const plan = planTable()
  for (const table of [shapeTable(), plan]) expect(page).toContain(table)

  const said = page.replace(/\s+/g, ' ')
  const row = (name: string) =>
    plan
      .split('\n')
      .find((line) => line.startsWith(`| ${name} |`))
      ?.split(' | ') ?? []
  const [, , , million, busy, slower] = row('nodes (one core each)').map((cell) => cell.replace(' |', ''))
  expect(said).toContain(
    `a million pages are ${million} cores, 100 msg/s in flushes of 12 ms ${busy}, in flushes of 100 ms ${slower}.`,
  )
  const list = row('the list for one who comes')
  const changes = row('comings and goings, to each page')
  const rounded = (cell = '') => `${Math.round(Number.parseFloat(cell))} ${cell.split(' ')[1]}`
  expect(said).toContain(`at 100,000 pages ${list[2]} on arrival and ${rounded(changes[2])} to each`)
  expect(said).toContain(`at a million ${list[3]} and ${rounded(changes[3])}.`)
  expect(said).toContain(`100 msg/s to a million pages are ${row('messages out of all')[4]}, whatever sends them`)
})
