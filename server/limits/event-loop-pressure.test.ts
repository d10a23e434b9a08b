import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { type Pressure, pressureAt, watchPressure } from './event-loop-pressure.ts'

const busy = (...delaysMs: number[]) => ({ delaysMs, utilization: 1 })

test.each([
  [busy(0, 0, 0, 0, 0), 'none', 'none'],
  [busy(900, 900, 0, 0, 0), 'none', 'none'],
  [busy(200, 200, 200, 0, 0), 'none', 'shed-logins'],
  [busy(700, 700, 700, 0, 0), 'none', 'shed-connections'],
  [busy(100, 100, 100), 'none', 'none'],
  [busy(100, 100, 100), 'shed-logins', 'shed-logins'],
  [busy(70, 70, 70), 'shed-logins', 'none'],
  [busy(400, 400, 400), 'shed-connections', 'shed-connections'],
  [busy(200, 200, 200), 'shed-connections', 'shed-logins'],
  [{ delaysMs: [900, 900, 900], utilization: 0.3 }, 'none', 'none'],
] as [{ delaysMs: number[]; utilization: number }, Pressure, Pressure][])(
  'SECURITY-7 the load %j after level %s gives level %s',
  (load, before, level) => {
    expect(pressureAt(load, before)).toBe(level)
  },
)

test(
  'SECURITY-7 an event loop that is continuously late raises the level, and recovery lowers it',
  { timeout: 60_000 },
  async () => {
    const levels: Pressure[] = []
    const watch = watchPressure((event) => {
      if (event.type === 'pressure-changed') levels.push(event.level)
    })
    onTestFinished(() => watch.stop())
    for (let turn = 0; turn < 100 && levels.length === 0; turn++) {
      const until = performance.now() + 300
      while (performance.now() < until);
      await nextTurn()
    }
    expect(levels[0]).toMatch(/^shed-/)
    await expect.poll(() => watch.level()).toBe('none')
  },
)
