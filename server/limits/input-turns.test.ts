import { expect, test } from 'vitest'
import { networksOf } from './addresses.ts'
import { createInputTurns, networkTurnMs } from './input-turns.ts'

function setUp() {
  let nowMs = 0
  let nextTurn: (() => void) | null = null
  const events: string[] = []
  const turns = createInputTurns<{ name: string; costMs: number }>(
    {
      handle({ name, costMs }) {
        nowMs += costMs
        events.push(name)
      },
      onWait: ({ name }) => events.push(`${name} waits`),
      onWaited: ({ name }) => events.push(`${name} waited`),
    },
    () => nowMs,
    (run) => (nextTurn = run),
  )
  return {
    take: (address: string | null, name: string, costMs = 1) =>
      turns.take(address === null ? null : networksOf(address), { name, costMs }),
    runTurn: () => {
      const run = nextTurn
      nextTurn = null
      run?.()
    },
    isScheduled: () => nextTurn !== null,
    takeEvents: () => events.splice(0),
  }
}

test('SECURITY-3 inputs of many connections of one network wait for later turns, and inputs of others do not', () => {
  const { take, runTurn, isScheduled, takeEvents } = setUp()
  for (let i = 0; i < 10; i++) take(`2001:db8:1:${i}::1`, `a${i}`)
  take('198.51.100.1', 'other')
  expect(takeEvents().filter((event) => !event.endsWith('waits'))).toStrictEqual(['a0', 'a1', 'a2', 'a3', 'other'])
  runTurn()
  expect(takeEvents()).toStrictEqual(['a4', 'a5', 'a6', 'a7'].flatMap((name) => [name, `${name} waited`]))
  take('2001:db8:1:99::1', 'late')
  expect(takeEvents()).toStrictEqual(['late waits'])
  runTurn()
  expect(takeEvents()).toStrictEqual(['a8', 'a9', 'late'].flatMap((name) => [name, `${name} waited`]))
  runTurn()
  expect(isScheduled()).toBe(false)
})

test('SECURITY-3 one costly input uses the turn of its network; inputs of loopback never wait', () => {
  const { take, runTurn, takeEvents } = setUp()
  take('198.51.100.1', 'costly', networkTurnMs * 10)
  take('198.51.100.2', 'neighbour')
  for (let i = 0; i < 10; i++) take(null, 'local')
  expect(takeEvents()).toStrictEqual(['costly', 'neighbour waits', ...Array<string>(10).fill('local')])
  runTurn()
  expect(takeEvents()).toStrictEqual(['neighbour', 'neighbour waited'])
})
