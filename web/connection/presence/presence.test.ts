import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Presence, reducePresence, initialPresence } from './presence.ts'

const known: Presence = { ids: ['a', 'b', 'c'], version: 7, isResyncing: false }
const delta = (from: number, version: number, joined: string[], left: string[]) =>
  ({ kind: 'delta', delta: { from, version, joined, left } }) as const

test('RT-4 a list replaces the previous one, with or without a version', () => {
  const list = { kind: 'list', ids: ['x'], version: { version: 9 } } as const
  expect(reducePresence(known, list).presence).toEqual({ ids: ['x'], version: 9, isResyncing: false })
  expect(reducePresence(known, { ...list, version: undefined }).presence.version).toBeNull()
})

test('RT-4 a matching delta creates a new list and does not change the old one', () => {
  const { presence, needsResync } = reducePresence(known, delta(7, 8, ['d'], ['b']))
  expect(presence).toEqual({ ids: ['a', 'c', 'd'], version: 8, isResyncing: false })
  expect(needsResync).toBe(false)
  expect(known.ids).toEqual(['a', 'b', 'c'])
})

test('RT-4 a duplicate id is listed once, and an id that joined and left is not listed', () => {
  expect(reducePresence(known, delta(7, 8, ['a', 'd', 'd', 'e'], ['e'])).presence.ids).toEqual(['a', 'b', 'c', 'd'])
})

test('RT-4 a delta with another base version requests a full list once, and deltas are ignored until it arrives', () => {
  const requested = reducePresence(known, delta(8, 9, ['d'], []))
  expect(requested).toEqual({ presence: { ...known, isResyncing: true }, needsResync: true })
  expect(reducePresence(requested.presence, delta(9, 10, ['e'], []))).toEqual({
    presence: requested.presence,
    needsResync: false,
  })
  const resynced = reducePresence(requested.presence, { kind: 'list', ids: ['a', 'd', 'e'], version: { version: 10 } })
  expect(reducePresence(resynced.presence, delta(10, 11, [], ['a'])).presence.ids).toEqual(['d', 'e'])
})

test('RT-4 a delta before the first list requests a full list, also after a reconnect to another node', () => {
  expect(reducePresence(initialPresence, delta(0, 1, ['a'], [])).needsResync).toBe(true)
  const reconnected = reducePresence(known, { kind: 'connected' }).presence
  expect(reconnected.ids).toBe(known.ids)
  expect(reducePresence(reconnected, delta(7, 8, ['d'], [])).needsResync).toBe(true)
})

test('RT-4 after any loss of deltas the list equals the list of the server at the same version', () => {
  const change = fc.record({ joins: fc.nat(3), leaves: fc.nat(3), lost: fc.boolean() })
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const versions = [new Set(['first'])]
      let presence = reducePresence(initialPresence, {
        kind: 'list',
        ids: ['first'],
        version: { version: 0 },
      }).presence
      let isRequested = false
      for (const { joins, leaves, lost } of changes) {
        const from = versions.length - 1
        const now = new Set(versions[from])
        const left = [...now].slice(0, leaves)
        const joined = Array.from({ length: joins }, (_, index) => `${versions.length}-${index}`)
        for (const id of left) now.delete(id)
        for (const id of joined) now.add(id)
        versions.push(now)
        if (isRequested) {
          isRequested = false
          const version = { version: versions.length - 1 }
          presence = reducePresence(presence, { kind: 'list', ids: [...now], version }).presence
        } else if (!lost) {
          const step = reducePresence(presence, delta(from, from + 1, joined, left))
          presence = step.presence
          isRequested = step.needsResync
        }
        expect(new Set(presence.ids)).toEqual(versions[presence.version ?? -1])
        expect(presence.ids).toHaveLength(new Set(presence.ids).size)
      }
    }),
  )
})
