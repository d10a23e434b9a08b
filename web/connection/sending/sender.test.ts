import { expect, test } from 'vitest'
import type { SendAck } from '../../../contract/messages.ts'
import * as sending from './sender.ts'

const here = { epoch: 'log', seq: 5 }
const at = (nowMs: number, cursor: sending.Moment['cursor'] = here) => ({ nowMs, cursor })
const by = (id: string, name = 'bob', anonymous = true): sending.Press => ({ id, name, anonymous })
const stored: SendAck = { ok: true, seq: 6 }
const refusal = (code: 'rate_limited' | 'unavailable' | 'too_long' | 'expired', retryAfterMs?: number): SendAck => ({
  ok: false,
  code,
  message: 'because',
  ...(retryAfterMs !== undefined && { retryAfterMs }),
})

const open = sending.opened(sending.freshSender, at(0)).sender
const typed = (draft: string, sender = open) => sending.edit(sender, draft)
const sent = (draft: string) => sending.press(typed(draft), by('first'), at(1_000))

test.each(['', '   ', '\n\t\u00a0'])('SEND-1 a message of %j is not sent, and nothing is shown', (draft) => {
  const before = typed(draft)
  expect(sending.press(before, by('first'), at(1_000))).toEqual({ sender: before, emit: null })
})

test('SEND-1 without a custom username nothing is sent, and nothing is shown', () => {
  expect(sending.press(typed('hi'), by('first', ' '), at(1_000))).toEqual({ sender: typed('hi'), emit: null })
})

test('SEND-2 SEND-3 RT-2 an anonymous message carries the suffix and the time of the press', () => {
  expect(sent('hi').emit).toMatchObject({
    id: 'first',
    payload: { username: 'bob (not loggedin)', message: 'hi', createdTime: 1_000 },
    after: here,
  })
})

test('SEND-2 a logged-in user sends under the account name', () => {
  expect(sending.press(typed('hi'), by('first', 'bob', false), at(1)).emit?.payload.username).toBe('bob')
})

test('SEND-4 the text stays until it is acknowledged, and then goes', () => {
  const { sender } = sent('hi')
  expect(sender.draft).toBe('hi')
  expect(sending.answered(sender, 'first', stored, at(2)).sender).toEqual(open)
})

test('SEND-4 what was typed ahead stays, and an answer to something else changes nothing', () => {
  const ahead = typed('hi there', sent('hi').sender)
  expect(sending.answered(ahead, 'first', stored, at(2)).sender.draft).toBe(' there')
  expect(sending.answered(ahead, 'other', stored, at(2)).sender).toBe(ahead)
})

test('SEND-4 a text that was begun anew is left alone, even where it begins with what was sent', () => {
  const anew = typed('history', typed('', sent('hi').sender))
  expect(sending.answered(anew, 'first', stored, at(2)).sender.draft).toBe('history')
  const restored = typed('hi', typed('h', sent('hi').sender))
  expect(sending.answered(restored, 'first', stored, at(2)).sender.draft).toBe('')
})

test.each([
  ['message', '😀'.repeat(4_001), 'bob', 'The message is longer than 4000 characters.'],
  ['username', 'hi', 'b'.repeat(513), 'The username is longer than 64 characters.'],
])('SEND-4 a %s that no frame may carry is refused at once and keeps the text', (_part, draft, name, reason) => {
  expect(sending.press(typed(draft), by('first', name), at(1_000))).toMatchObject({
    emit: null,
    sender: { draft, phase: { name: 'refused', code: 'too_long', reason } },
  })
})

test('SEND-4 the longest message is sent, and one that is queued is held to the same limit', () => {
  const longest = '😀'.repeat(4_000)
  expect(sent(longest).emit?.payload.message).toBe(longest)
  const queued = sending.press(typed(`hi${longest}!`, sent('hi').sender), by('second'), at(2_000)).sender
  expect(sending.answered(queued, 'first', stored, at(3_000))).toMatchObject({
    emit: null,
    sender: { draft: `${longest}!`, phase: { name: 'refused', code: 'too_long' } },
  })
})

test('DELIVERY-5 a repeat is the same to the letter, wherever the page stands by then', () => {
  const { sender, emit } = sent('hi')
  const repeated = sending.opened(sending.closed(typed('hi, more', sender)), at(9_000, { epoch: 'other', seq: 1 })).emit
  expect({ ...repeated, inDraft: true }).toEqual(emit)
  const again = sending.opened(sending.closed(sender), at(99_000))
  expect(sending.repeat(again.sender, at(109_000)).emit).toEqual(emit)
})

test('DELIVERY-5 without a connection nothing is emitted, and the first attempt names where the page stands then', () => {
  const offline = sending.press(sending.closed(typed('hi')), by('first'), at(1_000))
  expect(offline.emit).toBeNull()
  expect(sending.repeatAtMs(offline.sender, 10_000)).toBeNull()
  const attempt = sending.opened(offline.sender, at(5_000, { epoch: 'log', seq: 9 })).emit
  expect(attempt).toMatchObject({ payload: { createdTime: 1_000 }, after: { epoch: 'log', seq: 9 } })
})

test('DELIVERY-5 an unanswered message is repeated on a live connection, and only there', () => {
  const { sender } = sent('hi')
  expect(sending.repeatAtMs(sender, 10_000)).toBe(11_000)
  expect(sending.repeat(sender, at(11_000)).emit?.id).toBe('first')
  expect(sending.repeatAtMs(sending.closed(sender), 10_000)).toBeNull()
  expect(sending.repeat(sending.closed(sender), at(11_000)).emit).toBeNull()
  expect(sending.repeat(open, at(11_000)).emit).toBeNull()
})

test('DELIVERY-5 Send pressed again does nothing for the same text, and queues another one', () => {
  const { sender } = sent('hi')
  expect(sending.press(sender, by('again'), at(2_000))).toEqual({ sender, emit: null })
  const queued = sending.press(typed('hi there', sender), by('second'), at(2_000))
  expect(queued.emit).toBeNull()
  const settled = sending.answered(typed('hi there, you', queued.sender), 'first', stored, at(3_000))
  expect(settled.emit).toMatchObject({ id: 'second', payload: { message: ' there', createdTime: 2_000 } })
  expect(settled.sender.draft).toBe(' there, you')
  expect(sending.answered(settled.sender, 'second', stored, at(4_000)).sender.draft).toBe(', you')
})

test.each(['rate_limited', 'unavailable'] as const)(
  'DELIVERY-2 %s counts down and goes out by itself, unchanged',
  (code) => {
    const { sender, emit } = sent('hi')
    const waiting = sending.answered(sender, 'first', refusal(code, 3_000), at(2_000)).sender
    expect(waiting.phase).toMatchObject({ name: 'waiting', reason: 'because', retryAtMs: 5_000 })
    expect(sending.opened(sending.closed(waiting), at(4_000)).emit).toBeNull()
    expect(sending.repeat(waiting, at(5_000)).emit).toEqual(emit)
  },
)

test('DELIVERY-2 a server that names no time, or an absurd one, is asked again within reason', () => {
  const waits = [undefined, -1, Infinity].map((ms) =>
    sending.answered(sent('hi').sender, 'first', refusal('unavailable', ms), at(0)),
  )
  expect(waits.map(({ sender }) => sending.repeatAtMs(sender, 10_000))).toEqual([2_000, 100, 3_600_000])
})

test.each(['too_long', 'expired'] as const)('SEND-4 %s keeps the text, and Send makes a new message of it', (code) => {
  const refused = sending.answered(sent('hi').sender, 'first', refusal(code), at(2_000)).sender
  expect(refused).toMatchObject({ draft: 'hi', phase: { name: 'refused', code, reason: 'because' } })
  expect(sending.opened(refused, at(3_000)).emit).toBeNull()
  expect(sending.press(refused, by('second'), at(9_000)).emit).toMatchObject({
    id: 'second',
    payload: { createdTime: 9_000 },
  })
  expect(typed('ho', refused).phase.name).toBe('idle')
})

test('DELIVERY-5 a refusal leaves what was typed ahead to the user, but a text of its own goes out', () => {
  const ahead = sending.press(typed('hi there', sent('hi').sender), by('second'), at(2_000)).sender
  expect(sending.answered(ahead, 'first', refusal('expired'), at(3_000))).toMatchObject({
    emit: null,
    sender: { draft: 'hi there', phase: { name: 'refused' }, queued: null },
  })
  const other = sending.press(typed('bye', sent('hi').sender), by('second'), at(2_000)).sender
  expect(sending.answered(other, 'first', refusal('expired'), at(3_000)).emit?.payload.message).toBe('bye')
})

test('DELIVERY-6 after a login the text waits for Send, and then keeps its id under the new name', () => {
  const held = sending.hold(sent('hi').sender)
  expect(sending.repeatAtMs(held, 10_000)).toBeNull()
  const remade = sending.opened(sending.closed(held), at(3_000))
  expect(remade).toMatchObject({ emit: null, sender: { draft: 'hi' } })
  const again = sending.press(remade.sender, by('second', 'Bob', false), at(4_000)).emit
  expect(again).toMatchObject({
    id: 'first',
    payload: { username: 'Bob', message: 'hi', createdTime: 1_000 },
    after: here,
  })
})

test('DELIVERY-6 after a login an edited text is a new message, and one edited away comes back', () => {
  const edited = typed('ho', sending.hold(sent('hi').sender))
  expect(sending.press(edited, by('second'), at(4_000)).emit).toMatchObject({
    id: 'second',
    payload: { message: 'ho' },
  })
  expect(sending.hold(typed('ho', sent('hi').sender)).draft).toBe('hi ho')
})

test('DELIVERY-6 a press that was queued before a login is not carried out after it', () => {
  const queued = sending.press(typed('hi there', sent('hi').sender), by('second'), at(2_000)).sender
  const again = sending.press(typed('hi ', sending.hold(queued)), by('third'), at(4_000)).sender
  expect(sending.answered(again, 'first', stored, at(5_000))).toMatchObject({ emit: null, sender: { draft: ' ' } })
})
