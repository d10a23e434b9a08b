import { expect, test } from 'vitest'
import { maxMessageCharacters, maxNameCharacters } from '../../../contract/limits.ts'
import type { ChatMessage, SendAck } from '../../../contract/messages.ts'
import type { SendRejectionCode } from '../../../contract/rejections.ts'
import { serializeDraft, serializeOutbox, restoreSender } from './stored-sender.ts'
import { takeBack } from './outbox-rows.ts'
import * as sending from './sender.ts'

const here = { epoch: 'log', seq: 5 }
const at = (ms: number, cursor: sending.SendContext['cursor'] = here) => ({ nowMs: ms, elapsedMs: ms, cursor })
const by = (id: string, name = 'bob', anonymous = true): sending.SendRequest => ({ id, name, anonymous })
const stored: SendAck = { ok: true, seq: 6 }
const refusal = (code: SendRejectionCode, retryAfterMs?: number): SendAck => ({
  ok: false,
  code,
  message: 'because',
  ...(retryAfterMs !== undefined && { retryAfterMs }),
})

const open = sending.opened(sending.initialSender, at(0)).sender
const typed = (draft: string, sender = open) => sending.editDraft(sender, draft)
const sent = (draft: string) => sending.send(typed(draft), by('first'), at(1_000))
const thenSent = (draft: string, id: string, sender: sending.Sender) =>
  sending.send(typed(draft, sender), by(id), at(2_000)).sender
const states = ({ outbox }: sending.Sender) => outbox.map(({ payload, state }) => `${payload.message} ${state.kind}`)

test.each(['', '   ', '\n\t\u00a0'])('SEND-1 a message of %j is not sent, and nothing is shown', (draft) => {
  const before = typed(draft)
  expect(sending.send(before, by('first'), at(1_000))).toEqual({ sender: before, emit: null })
})

test('SEND-1 without a custom username nothing is sent, and nothing is shown', () => {
  expect(sending.send(typed('hi'), by('first', ' '), at(1_000))).toEqual({ sender: typed('hi'), emit: null })
})

test('SEND-2 SEND-3 RT-2 an anonymous message carries the suffix and the time of the press', () => {
  expect(sent('hi').emit).toMatchObject({
    id: 'first',
    payload: { username: 'bob (not loggedin)', message: 'hi', createdTime: 1_000 },
    after: here,
  })
})

test('RT-2 every field that a message can have is pressed, and kept when it is held, taken back or sent after a reload', () => {
  // Required: a field that the contract gets is missed here until the page sends it.
  const whole: Required<ChatMessage> = { username: 'bob (not loggedin)', message: 'hi', createdTime: 1_000 }
  const { sender } = sent('hi')
  const reloaded = restoreSender(
    sending.initialSender,
    serializeOutbox(sending.holdPending(sender)),
    serializeDraft(sender),
  )
  const again = sending.sendHeld(sending.opened(reloaded, at(3_000)).sender, 'first', by('first'), at(4_000))
  const waiting = sending.editDraft(sending.send(sending.closed(typed('hi')), by('first'), at(500)).sender, '')
  const pressedAnew = sending.send(takeBack(waiting, 'first'), by('second'), at(1_000)).sender.outbox[0]
  for (const message of [sender.outbox[0], again.emit, pressedAnew]) expect(message?.payload).toStrictEqual(whole)
})

test('SEND-2 a logged-in user sends under the account name', () => {
  expect(sending.send(typed('hi'), by('first', 'bob', false), at(1)).emit?.payload.username).toBe('bob')
})

test('SEND-4 the text stays in the field until it is acknowledged, and then goes', () => {
  const { sender } = sent('hi')
  expect(sender).toMatchObject({ draft: 'hi', fieldMessageId: 'first' })
  expect(sending.acknowledged(sender, 'first', stored, at(2)).sender).toEqual(open)
})

test('SEND-4 OUTBOX-2 a field that holds something else is left alone by the acknowledgement, the same words included', () => {
  for (const draft of [' there', '', 'history', 'hi']) {
    const ahead = typed(draft, sent('hi').sender)
    expect(ahead).toMatchObject({ draft, fieldMessageId: null, outbox: [{ id: 'first' }] })
    expect(sending.acknowledged(ahead, 'first', stored, at(2)).sender).toMatchObject({ draft, outbox: [] })
    expect(sending.acknowledged(ahead, 'other', stored, at(2)).sender).toBe(ahead)
  }
})

test.each([
  ['message', '😀'.repeat(maxMessageCharacters + 1), 'bob'],
  ['username', 'hi', 'b'.repeat(maxNameCharacters + 1)],
])('WRITING-1 a %s that is too long makes no message, and the text is kept', (_part, draft, name) => {
  const before = typed(draft)
  expect(sending.send(before, by('first', name), at(1_000))).toEqual({ sender: before, emit: null })
})

test('WRITING-1 the longest message and the longest name are sent', () => {
  const longest = '😀'.repeat(maxMessageCharacters)
  expect(sending.send(typed(longest), by('first', '😀'.repeat(maxNameCharacters)), at(1)).emit?.payload.message).toBe(
    longest,
  )
})

test('DELIVERY-5 a repeat is the same to the letter, wherever the page stands by then', () => {
  const { sender, emit } = sent('hi')
  const parts = ({ emit: again }: sending.SenderStep) => again && { ...again, state: emit?.state }
  const moved = sending.closed(typed('more', sender))
  expect(parts(sending.opened(moved, at(9_000, { epoch: 'other', seq: 1 })))).toEqual(emit)
  const again = sending.opened(sending.closed(sender), at(99_000))
  expect(parts(sending.resend(again.sender, at(109_000)))).toEqual(emit)
})

test('DELIVERY-5 without a connection nothing is emitted, and the first attempt names where the page stands then', () => {
  const offline = sending.send(sending.closed(typed('hi')), by('first'), at(1_000))
  expect(offline.emit).toBeNull()
  expect(sending.resendAtMs(offline.sender, 10_000)).toBeNull()
  const attempt = sending.opened(offline.sender, at(5_000, { epoch: 'log', seq: 9 })).emit
  expect(attempt).toMatchObject({ payload: { createdTime: 1_000 }, after: { epoch: 'log', seq: 9 } })
})

test('DELIVERY-5 an unanswered message is repeated on a live connection, and only there', () => {
  const { sender } = sent('hi')
  expect(sending.resendAtMs(sender, 10_000)).toBe(11_000)
  expect(sending.resend(sender, at(11_000)).emit?.id).toBe('first')
  expect(sending.resendAtMs(sending.closed(sender), 10_000)).toBeNull()
  expect(sending.resend(sending.closed(sender), at(11_000)).emit).toBeNull()
  expect(sending.resend(open, at(11_000)).emit).toBeNull()
})

test('OUTBOX-1 Send pressed again on the same untouched text does nothing', () => {
  const { sender } = sent('hi')
  expect(sending.send(sender, by('again'), at(2_000))).toEqual({ sender, emit: null })
})

test('OUTBOX-1 each press is a message, one is in flight, and each goes out as it was when it was pressed', () => {
  const three = thenSent('three', 'third', thenSent('two', 'second', sent('one').sender))
  expect(states(three)).toEqual(['one sending', 'two queued', 'three queued'])
  const afterOne = sending.acknowledged(three, 'first', stored, at(3_000))
  expect(afterOne.emit).toMatchObject({ id: 'second', payload: { message: 'two', createdTime: 2_000 } })
  const afterTwo = sending.acknowledged(afterOne.sender, 'second', stored, at(4_000))
  expect(states(afterTwo.sender)).toEqual(['three sending'])
  expect(sending.acknowledged(afterTwo.sender, 'third', stored, at(5_000)).sender).toEqual(open)
})

test('OUTBOX-1 cut in between, the first is repeated first', () => {
  const two = sending.closed(thenSent('two', 'second', sent('one').sender))
  expect(states(two)).toEqual(['one queued', 'two queued'])
  expect(sending.opened(two, at(9_000)).emit?.id).toBe('first')
})

test('OUTBOX-3 so many wait and no more; the press does nothing and the text stays', () => {
  let sender = sending.closed(open)
  for (let number = 0; number <= sending.maxOutboxMessages; number++)
    sender = thenSent(`${number}`, `${number}`, sender)
  expect(sender.outbox).toHaveLength(sending.maxOutboxMessages)
  expect(sender).toMatchObject({ draft: `${sending.maxOutboxMessages}`, fieldMessageId: null })
})

test.each(['rate_limited', 'unavailable'] as const)(
  'DELIVERY-2 %s counts down and goes out by itself, unchanged, and nothing overtakes it',
  (code) => {
    const { sender, emit } = sent('hi')
    const paused = sending.acknowledged(sender, 'first', refusal(code, 3_000), at(2_000)).sender
    expect(paused.outbox[0]?.state).toEqual({ kind: 'paused', reason: 'because', retryAtMs: 5_000 })
    const two = thenSent('two', 'second', paused)
    expect(states(two)).toEqual(['hi paused', 'two queued'])
    expect(sending.opened(sending.closed(two), at(4_000)).emit).toBeNull()
    expect(sending.resend(two, at(5_000)).emit).toEqual({ ...emit, state: { kind: 'sending', sentAtMs: 5_000 } })
  },
)

test('DELIVERY-2 a server that names no time, or an absurd one, is asked again within reason', () => {
  const waits = [undefined, -1, Infinity].map((ms) =>
    sending.acknowledged(sent('hi').sender, 'first', refusal('unavailable', ms), at(0)),
  )
  expect(waits.map(({ sender }) => sending.resendAtMs(sender, 10_000))).toEqual([2_000, 100, 3_600_000])
})

test.each(['invalid', 'too_long', 'id_conflict', 'expired', 'not_allowed'] as const)(
  'SEND-4 %s keeps the text with its reason, and Send makes a new message of it',
  (code) => {
    const refused = sending.acknowledged(sent('hi').sender, 'first', refusal(code), at(2_000)).sender
    expect(refused).toMatchObject({ draft: 'hi', outbox: [{ state: { kind: 'refused', code, reason: 'because' } }] })
    expect(sending.opened(refused, at(3_000)).emit).toBeNull()
    const again = sending.send(refused, by('second'), at(9_000))
    expect(again.emit).toMatchObject({ id: 'second', payload: { createdTime: 9_000 } })
    expect(again.sender.outbox).toHaveLength(1)
  },
)

test('OUTBOX-4 a refusal after the text was edited away, with another one queued, is shown, and the other goes on', () => {
  const other = thenSent('bye', 'second', sent('hi').sender)
  const step = sending.acknowledged(other, 'first', refusal('expired'), at(3_000))
  expect(step.emit?.payload.message).toBe('bye')
  expect(states(step.sender)).toEqual(['hi refused', 'bye sending'])
  expect(step.sender.fieldMessageId).toBe('second')
})

test('OUTBOX-4 a refused text that is reworked in place leaves no row; one that is written over or typed on does', () => {
  const refused = sending.acknowledged(sent('hi').sender, 'first', refusal('invalid'), at(2_000)).sender
  expect(sending.editDraft(refused, 'hi!', true)).toMatchObject({ draft: 'hi!', outbox: [] })
  expect(states(sending.editDraft(refused, 'other'))).toEqual(['hi refused'])
  expect(states(sending.editDraft(sent('hi').sender, 'hi!', true))).toEqual(['hi sending'])
})

test('DELIVERY-6 after a login the text waits for Send, and then keeps its id and time under the new name', () => {
  const held = sending.holdPending(sent('hi').sender)
  expect(sending.resendAtMs(held, 10_000)).toBeNull()
  const remade = sending.opened(sending.closed(held), at(3_000))
  expect(remade).toMatchObject({ emit: null, sender: { draft: 'hi' } })
  const again = sending.send(remade.sender, by('second', 'Bob', false), at(4_000)).emit
  expect(again).toMatchObject({
    id: 'first',
    payload: { username: 'Bob', message: 'hi', createdTime: 1_000 },
    after: here,
  })
})

test('DELIVERY-6 nothing that was queued before a login goes out after it; a held row is sent when it is pressed', () => {
  const held = sending.holdPending(thenSent('two', 'second', sent('one').sender))
  const remade = sending.opened(sending.closed(held), at(3_000))
  expect(remade.emit).toBeNull()
  expect(states(remade.sender)).toEqual(['one held', 'two held'])
  const pressed = sending.sendHeld(remade.sender, 'first', by('-', 'Bob', false), at(4_000))
  expect(pressed.emit).toMatchObject({ id: 'first', payload: { username: 'Bob', createdTime: 1_000 }, after: here })
  const next = sending.sendHeld(pressed.sender, 'second', by('-', 'Bob', false), at(5_000)).sender
  expect(states(next)).toEqual(['one sending', 'two queued'])
  // Never handed to a connection: it is sent now, and now is its time.
  expect(next.outbox[1]?.payload.createdTime).toBe(5_000)
})

test('DELIVERY-6 a token that is refused on an open connection holds everything', () => {
  const two = thenSent('two', 'second', sent('one').sender)
  const step = sending.acknowledged(two, 'first', refusal('unauthorized'), at(3_000))
  expect(step.emit).toBeNull()
  expect(states(step.sender)).toEqual(['one held', 'two held'])
})
