import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { type Pressure, pressureAt, watchPressure } from './event-loop-pressure.ts'

const turns = (...delaysMs: number[]) => ({ delaysMs, busyness: 1 })

test.each([
  [turns(0, 0, 0, 0, 0), 'none', 'none'],
  [turns(900, 900, 0, 0, 0), 'none', 'none'],
  [turns(200, 200, 200, 0, 0), 'none', 'shed-logins'],
  [turns(700, 700, 700, 0, 0), 'none', 'shed-connections'],
  [turns(100, 100, 100), 'none', 'none'],
  [turns(100, 100, 100), 'shed-logins', 'shed-logins'],
  [turns(70, 70, 70), 'shed-logins', 'none'],
  [turns(400, 400, 400), 'shed-connections', 'shed-connections'],
  [turns(200, 200, 200), 'shed-connections', 'shed-logins'],
  [{ delaysMs: [900, 900, 900], busyness: 0.3 }, 'none', 'none'],
] as [{ delaysMs: number[]; busyness: number }, Pressure, Pressure][])(
  'SECURITY-7 turns like %j after %s mean %s',
  (seen, before, level) => {
    expect(pressureAt(seen, before)).toBe(level)
  },
)

test(
  'SECURITY-7 a loop that is late turn after turn is noticed, and so is its recovery',
  { timeout: 60_000 },
  async () => {
    const levels: Pressure[] = []
    const watch = watchPressure((level) => levels.push(level))
    onTestFinished(() => watch.stop())
    for (let turn = 0; turn < 100 && levels.length === 0; turn++) {
      const until = performance.now() + 300
      while (performance.now() < until);
      await nextTurn()
    }
    expect(levels[0]).toMatch(/^shed-/)
    await expect.poll(() => watch.level(), { timeout: 20_000 }).toBe('none')
  },
)
