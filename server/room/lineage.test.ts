import { expect, test } from 'vitest'
import type { Cursor } from '../../contract/messages.ts'
import {
  beginTerm,
  canPlace,
  canReplayFrom,
  continuationOf,
  cursorAt,
  isLossProven,
  type Lineage,
  type LogLine,
  startLineage,
} from './lineage.ts'

const logOf = (lineage: Lineage, head: number, oldest = 1): LogLine => ({ lineage, oldest, head })
const withHead = (line: LogLine, head: number): LogLine => ({ ...line, head })
const restart = (line: LogLine, epoch?: string): LogLine => ({ ...line, lineage: beginTerm(line, epoch) })
const positionOf = (cursor: Cursor, line: LogLine) => {
  const seq = continuationOf(cursor, line)
  const { epoch } = cursorAt(line.lineage, seq)
  return { seq, hasGap: seq !== cursor.seq || epoch !== cursor.epoch }
}

const created = logOf(startLineage(1, 'first'), 0)
const atFifty = withHead(created, 50)

test('DELIVERY-3 a client continues at its cursor after any number of restarts, also of an empty log', () => {
  let line = created
  const fresh = cursorAt(line.lineage, 0)
  for (const head of [0, 0, 50, 50, 80]) {
    const cursor = cursorAt(line.lineage, line.head)
    line = withHead(restart(line), head)
    expect(positionOf(cursor, line)).toStrictEqual({ seq: cursor.seq, hasGap: false })
  }
  expect(positionOf(fresh, line)).toStrictEqual({ seq: 0, hasGap: false })
  expect(positionOf({ epoch: 'first', seq: 60 }, line)).toStrictEqual({ seq: 60, hasGap: false })
})

test('DELIVERY-4 after the log is rolled back behind a client and refilled, the client is notified and receives every new message', () => {
  const seen = cursorAt(atFifty.lineage, 80)
  const refilled = withHead(restart(atFifty), 110)
  expect(positionOf(seen, refilled)).toStrictEqual({ seq: 50, hasGap: true })
  expect(positionOf(cursorAt(atFifty.lineage, 45), refilled)).toStrictEqual({ seq: 45, hasGap: false })
  // The lost part of the log contains one more restart, then two more restarts.
  const lost = withHead(restart(withHead(atFifty, 60)), 80)
  expect(positionOf(cursorAt(lost.lineage, 70), refilled)).toStrictEqual({ seq: 50, hasGap: true })
  const lostTwice = withHead(restart(lost), 90)
  expect(positionOf(cursorAt(lostTwice.lineage, 85), refilled)).toStrictEqual({ seq: 0, hasGap: true })
})

test('DELIVERY-4 a term is never used twice, even if it is empty', () => {
  const [once, twice] = [restart(atFifty), restart(restart(atFifty))]
  expect(twice.lineage.at(-1)?.id).not.toBe(once.lineage.at(-1)?.id)
  expect(twice.lineage).toHaveLength(2)
  const seenInOnce = cursorAt(once.lineage, 55)
  expect(positionOf(seenInOnce, withHead(twice, 60))).toStrictEqual({ seq: 50, hasGap: true })
})

test('DELIVERY-4 a client of another log, or older than the retention, gets every retained message', () => {
  const trimmed = logOf(beginTerm(logOf(atFifty.lineage, 50, 41)), 60, 41)
  expect(positionOf(cursorAt(atFifty.lineage, 20), trimmed)).toStrictEqual({ seq: 40, hasGap: true })
  expect(positionOf(cursorAt(startLineage(1, 'other'), 45), trimmed)).toStrictEqual({ seq: 40, hasGap: true })
  expect(positionOf({ epoch: 'first', seq: 99 }, trimmed)).toStrictEqual({ seq: 60, hasGap: true })
  for (const term of ['', '.', 'a.b.c', `x.${'9'.repeat(30)}.`]) {
    expect(positionOf({ epoch: 'first', seq: 45, term }, trimmed)).toStrictEqual({ seq: 40, hasGap: true })
  }
})

test('DELIVERY-4 a client is notified of a gap even if it would continue at its own seq', () => {
  const trimmed = logOf(beginTerm(logOf(atFifty.lineage, 50, 41)), 60, 41)
  expect(positionOf({ epoch: 'first', seq: 40, term: 'lost.30.unknown' }, trimmed)).toStrictEqual({
    seq: 39,
    hasGap: true,
  })
})

test('DELIVERY-4 terms before the retained messages are dropped, and a client at the oldest message continues', () => {
  const line = withHead(restart(atFifty), 80)
  const trimmed = restart({ ...line, oldest: 61 })
  expect(trimmed.lineage.map(({ first }) => first)).toStrictEqual([51, 81])
  expect(positionOf(cursorAt(line.lineage, 60), trimmed)).toStrictEqual({ seq: 60, hasGap: false })
  const empty = restart({ ...line, oldest: 81 })
  expect(positionOf(cursorAt(line.lineage, 80), empty)).toStrictEqual({ seq: 80, hasGap: false })
})

test('DELIVERY-4 the messages that a process has received prove a loss, until the log has a new epoch', () => {
  const restored = restart(atFifty)
  expect(isLossProven(atFifty, restored)).toBe(false)
  expect(isLossProven(withHead(atFifty, 80), restored)).toBe(true)
  expect(isLossProven(withHead(atFifty, 80), withHead(restored, 110))).toBe(true)
  const renewed = restart(withHead(restored, 60), 'second')
  for (const known of [80, 70, 51]) expect(isLossProven(withHead(atFifty, known), renewed)).toBe(false)
  // The log is then restored from a backup from before the second epoch.
  expect(isLossProven(withHead(renewed, 65), restart(atFifty))).toBe(true)
  const trimmed = { ...withHead(restored, 200), oldest: 150 }
  expect(isLossProven(withHead(atFifty, 50), { ...trimmed, lineage: beginTerm(trimmed) })).toBe(false)
})

test('DELIVERY-4 a process reads the log before it places a client with a newer term or with the epoch of a loss', () => {
  const renewed = restart(atFifty, 'second')
  const notified = cursorAt(renewed.lineage, 45)
  expect(canPlace(notified, renewed)).toBe(true)
  // The term of the cursor is known, but this process has not detected the loss.
  expect(canPlace(notified, withHead(atFifty, 80))).toBe(false)
  expect(canPlace(cursorAt(restart(atFifty).lineage, 51), withHead(atFifty, 80))).toBe(false)
  expect(canPlace(cursorAt(atFifty.lineage, 45), renewed)).toBe(true)
  expect(canPlace(cursorAt(atFifty.lineage, 50), withHead(atFifty, 49))).toBe(false)
})

test('DELIVERY-2 a repeat is accepted after restarts if the log covers its first attempt', () => {
  const line = withHead(restart(atFifty), 80)
  expect(canReplayFrom(cursorAt(atFifty.lineage, 45), line)).toBe(true)
  expect(canReplayFrom(cursorAt(atFifty.lineage, 55), line)).toBe(false)
  expect(canReplayFrom({ epoch: 'first', seq: 55 }, line)).toBe(true)
  expect(canReplayFrom({ epoch: 'other', seq: 5 }, line)).toBe(false)
})

test('DELIVERY-3 the log can replay from the message before the oldest one, and not from an earlier one', () => {
  const line = logOf(created.lineage, 50, 10)
  expect(canReplayFrom({ epoch: 'first', seq: 9 }, line)).toBe(true)
  expect(canReplayFrom({ epoch: 'first', seq: 8 }, line)).toBe(false)
})

test('DELIVERY-3 a process places a client at its head without reading the log, but not a client that has received more', () => {
  expect(canPlace(cursorAt(atFifty.lineage, 50), atFifty)).toBe(true)
  expect(canPlace(cursorAt(atFifty.lineage, 51), atFifty)).toBe(false)
})

test('DELIVERY-4 the start of an unknown term counts only if it is a number', () => {
  const parent = created.lineage[0].id.split('.', 1)[0] ?? ''
  const continueFrom = (first: string) =>
    continuationOf({ epoch: 'lost', seq: 40, term: `x.${first}.${parent}` }, atFifty)
  expect(continueFrom('20')).toBe(19)
  for (const first of ['20x', 'x20', '']) expect(continueFrom(first)).toBe(0)
})
