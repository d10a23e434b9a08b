import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createSlicedTask } from './slicing.ts'

const oneStepPerTurn = { sliceMs: 0, chunkSize: 1 }

test('FANOUT-10 a sliced task runs on in later turns, and a start meanwhile has no effect', async () => {
  const steps: number[] = []
  const task = createSlicedTask(function* () {
    steps.push(1)
    yield
    steps.push(2)
  }, oneStepPerTurn)
  task.start()
  task.start()
  expect(steps).toStrictEqual([1])
  await setImmediate()
  expect(steps).toStrictEqual([1, 2])
})

test('FANOUT-10 a sliced task whose step throws can start again', () => {
  let attempts = 0
  const task = createSlicedTask(function* () {
    attempts++
    if (attempts < 3) throw new Error('test error')
    yield
  }, oneStepPerTurn)
  for (let i = 0; i < 2; i++) expect(() => task.start()).toThrow('test error')
  task.start()
  expect(attempts).toBe(3)
})

test('FANOUT-10 a sliced task that a step stops and starts again runs once, from its beginning', async () => {
  const steps: string[] = []
  let runs = 0
  const task = createSlicedTask(function* () {
    const run = ++runs
    steps.push(`first step of run ${run}`)
    yield
    if (run === 1) {
      task.stop()
      task.start()
    }
    steps.push(`last step of run ${run}`)
  }, oneStepPerTurn)
  task.start()
  await setImmediate()
  await setImmediate()
  expect(steps).toStrictEqual([
    'first step of run 1',
    'first step of run 2',
    'last step of run 1',
    'last step of run 2',
  ])
})
