import { expect, test } from 'vitest'
import { events } from '../../contract/events.ts'
import { createPresenceReader, type PresenceView } from './presence-view.ts'

const packet = (...args: unknown[]) => Buffer.from(`42${JSON.stringify(args)}`)
const newView = (): PresenceView => ({ ids: new Set(), version: 0, isShared: false })

test('BENCH-5 a delta changes only the view that received it, even if both views received the same list', () => {
  const read = createPresenceReader()
  const [first, second] = [newView(), newView()]
  const list = packet(events.onlineUsers, ['a', 'b'], { version: 1 })
  expect([read(first, list), read(second, list)]).toEqual(['list', 'list'])
  read(newView(), packet(events.onlineUsers, ['a'], { version: 9 }))
  const delta = packet(events.onlineUsersDelta, { from: 1, version: 2, joined: ['c'], left: ['a'] })
  expect(read(first, delta)).toBe('delta')
  expect([...first.ids]).toEqual(['b', 'c'])
  expect([...second.ids]).toEqual(['a', 'b'])
})

test('BENCH-5 a delta that does not start at the current version is a gap', () => {
  const read = createPresenceReader()
  const view = newView()
  read(view, packet(events.onlineUsers, ['a'], { version: 1 }))
  expect(read(view, packet(events.onlineUsersDelta, { from: 2, version: 3, joined: ['c'], left: [] }))).toBe('gap')
  expect([...view.ids]).toEqual(['a'])
})
