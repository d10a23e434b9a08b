import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPresenceList } from './presence-list.ts'

test('RT-4 changes are collected into one delta from version to version', () => {
  const list = createPresenceList()
  expect([list.ids(), list.version(), list.hasChanges()]).toStrictEqual([[], 0, false])
  for (const id of ['a', 'b', 'c']) list.join(id)
  list.leave('b')
  expect([list.ids(), list.version(), list.hasChanges()]).toStrictEqual([['a', 'c'], 0, true])
  expect(list.takeDelta()).toStrictEqual({ from: 0, version: 1, joined: ['a', 'c'], left: ['b'] })
  expect([list.version(), list.hasChanges(), list.size()]).toStrictEqual([1, false, 2])
  list.leave('a')
  expect(list.takeDelta()).toStrictEqual({ from: 1, version: 2, joined: [], left: ['a'] })
})

test('PRESENCE-2 an id that leaves and joins again before the delta is published counts as joined', () => {
  const list = createPresenceList()
  list.join('a')
  list.takeDelta()
  list.leave('a')
  list.join('a')
  expect(list.takeDelta()).toStrictEqual({ from: 1, version: 2, joined: ['a'], left: [] })
})

test('RT-4 a list taken at any time plus the following deltas equals the current list', () => {
  const step = fc.constantFrom('join', 'leave', 'return', 'publish', 'list')
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const list = createPresenceList()
      const clients: { ids: Set<string>; version: number }[] = []
      let lastId = 0
      function publish(): void {
        const { from, version, joined, left } = list.takeDelta()
        for (const client of clients) {
          expect(client.version).toBe(from)
          for (const id of joined) client.ids.add(id)
          for (const id of left) client.ids.delete(id)
          client.version = version
        }
      }
      for (const action of steps) {
        if (action === 'join') list.join(`id ${++lastId}`)
        if (action === 'leave') list.leave(list.ids()[0] ?? 'unknown')
        if (action === 'return' && lastId > 0) list.join(`id ${lastId}`)
        if (action === 'publish') publish()
        if (action === 'list') clients.push({ ids: new Set(list.ids()), version: list.version() })
      }
      publish()
      for (const { ids } of clients) expect([...ids].toSorted()).toStrictEqual(list.ids().toSorted())
    }),
    { numRuns: 500 },
  )
})
