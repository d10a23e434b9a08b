import { expect, test } from 'vitest'
import { announcement, collect, dueAtMs, type Pending } from './announcer.ts'

const said = (username: string, message = 'hi') => ({ username, message, createdTime: 0 })

function told(pending: Pending | null): string {
  expect(pending).not.toBeNull()
  return pending === null ? '' : announcement(pending)
}

test('A11Y-1 one message is told as itself', () => {
  expect(told(collect(null, [said('alice', 'good morning')], 0))).toBe('alice : good morning')
})

test('A11Y-1 a burst is told as a sum, over several frames', () => {
  let pending = collect(null, [said('alice'), said('bob')], 0)
  pending = collect(pending, [said('alice')], 16)
  pending = collect(pending, [said('carol'), said('bob')], 33)
  expect(told(pending)).toBe('5 new messages from 3 people')
})

test('A11Y-1 a burst of one person names the person', () => {
  expect(told(collect(null, [said('alice'), said('alice')], 0))).toBe('2 new messages from alice')
})

test('A11Y-1 nothing said changes nothing', () => {
  expect(collect(null, [], 5)).toBeNull()
  const pending = collect(null, [said('alice')], 0)
  expect(collect(pending, [], 5)).toBe(pending)
})

test('A11Y-1 fifty messages in a second are one announcement, told when the room falls quiet', () => {
  let pending: Pending | null = null
  for (let index = 0; index < 50; index++) {
    const nowMs = index * 20
    if (pending !== null) expect(dueAtMs(pending)).toBeGreaterThan(nowMs)
    pending = collect(pending, [said(`person ${index % 3}`)], nowMs)
  }
  expect(told(pending)).toBe('50 new messages from 3 people')
  expect(pending === null ? 0 : dueAtMs(pending)).toBe(49 * 20 + 600)
})

test('A11Y-1 in a room that never falls quiet something is told every three seconds', () => {
  let pending: Pending | null = null
  for (let nowMs = 0; nowMs <= 2_990; nowMs += 10) pending = collect(pending, [said('alice')], nowMs)
  expect(pending === null ? 0 : dueAtMs(pending)).toBe(3_000)
})
