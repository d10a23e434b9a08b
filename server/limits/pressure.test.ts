import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { type Pressure, pressureAt, watchPressure } from './pressure.ts'

test.each([
  [[0, 0, 0, 0, 0], 'none', 'none'],
  [[900, 900, 0, 0, 0], 'none', 'none'],
  [[150, 150, 150, 0, 0], 'none', 'shed-logins'],
  [[500, 500, 500, 0, 0], 'none', 'shed-connections'],
  [[60, 60, 60, 60, 60], 'none', 'none'],
  [[60, 60, 60, 60, 60], 'shed-logins', 'shed-logins'],
  [[40, 40, 40, 40, 40], 'shed-logins', 'none'],
  [[300, 300, 300, 300, 300], 'shed-connections', 'shed-connections'],
  [[150, 150, 150, 150, 150], 'shed-connections', 'shed-logins'],
] as [number[], Pressure, Pressure][])('SECURITY-7 delays of %j after %s mean %s', (delaysMs, before, level) => {
  expect(pressureAt(delaysMs, before)).toBe(level)
})

test('SECURITY-7 a loop that is late turn after turn is noticed, and so is its recovery', async () => {
  const levels: Pressure[] = []
  const watch = watchPressure((level) => levels.push(level))
  onTestFinished(() => watch.stop())
  for (let turn = 0; turn < 12 && levels.length === 0; turn++) {
    const until = performance.now() + 250
    while (performance.now() < until);
    await nextTurn()
  }
  expect(levels[0]).toMatch(/^shed-/)
  await expect.poll(() => watch.level(), { timeout: 10_000 }).toBe('none')
})
