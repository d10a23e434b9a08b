import { expect, test } from 'vitest'
import { clientCount } from './fleet.ts'
import { drawSchedule } from './schedule.ts'

const draw = (seed: number, seconds = 600) => drawSchedule({ seed, seconds, clients: clientCount })

test('FAULTS-1 the same seed gives the same schedule, and a different seed a different one', () => {
  expect(draw(7)).toEqual(draw(7))
  expect(draw(7)).not.toEqual(draw(8))
})

test.each([1, 2, 3, 7, 8, 9, 4_711, 999_999])(
  'FAULTS-1 a schedule of ten minutes with seed %i contains enough faults of each kind',
  (seed) => {
    const { server, links, pages } = draw(seed)
    const count = (kind: string) => [...server, ...links].filter((action) => action.kind === kind).length
    expect(count('kill')).toBeGreaterThanOrEqual(35)
    expect(count('stop')).toBeGreaterThanOrEqual(13)
    expect(count('drain')).toBeGreaterThanOrEqual(13)
    expect(count('cut')).toBeGreaterThanOrEqual(60)
    for (const kind of ['stall', 'half-close', 'offline', 'slow-consumer'])
      expect(count(kind)).toBeGreaterThanOrEqual(10)
    expect(pages.length).toBeGreaterThanOrEqual(10)
    for (const action of server) {
      if (action.kind !== 'stop') continue
      expect(action.forMs).toBeGreaterThanOrEqual(500)
      expect(action.forMs).toBeLessThanOrEqual(5_000)
    }
  },
)

test('FAULTS-1 the link faults affect every client and no other index', () => {
  const affected = new Set(draw(7).links.flatMap(({ clients }) => clients))
  expect([...affected].toSorted((one, other) => one - other)).toEqual([...Array(clientCount).keys()])
})
