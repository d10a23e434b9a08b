import { expect, test } from 'vitest'
import { maxMessageCharacters, maxNameCharacters } from '../../../contract/limits.ts'
import type { ChatMessage } from '../../../contract/messages.ts'
import { serializeDraft, serializeOutbox, restoreSender } from './stored-sender.ts'
import { takeBack } from './outbox-rows.ts'
import * as sending from './sender.ts'
import { at, by, open, position, rejection, sent, states, stored, thenSent, typed } from './sender-steps.suite.ts'

test.each(['', '   ', '\n\t\u00a0'])('SEND-1 a blank message (%j) is not sent', (draft) => {
  const before = typed(draft)
  expect(sending.send(before, by('first'), at(1_000))).toEqual({ sender: before, emit: null })
})

test('SEND-1 without a custom username no message is sent', () => {
  expect(sending.send(typed('hi'), by('first', ' '), at(1_000))).toEqual({ sender: typed('hi'), emit: null })
})

test('SEND-2 SEND-3 RT-2 an anonymous message has the suffix and the time of sending', () => {
  expect(sent('hi').emit).toMatchObject({
    id: 'first',
    payload: { username: 'bob (not loggedin)', message: 'hi', createdTime: 1_000 },
    after: position,
  })
})

test('RT-2 every field of a message is set, and kept when it is held, withdrawn or sent after a reload', () => {
  // `Required` makes the type check fail until a new field of the contract is added here. The test then checks that the
  // page sends the new field.
  const complete: Required<ChatMessage> = { username: 'bob (not loggedin)', message: 'hi', createdTime: 1_000 }
  const { sender } = sent('hi')
  const stored = { outbox: serializeOutbox(sending.holdPending(sender)), draft: serializeDraft(sender) }
  const reloaded = restoreSender(sending.initialSender, stored, 2_000)
  const again = sending.sendHeld(sending.opened(reloaded, at(3_000)).sender, 'first', by('first'), at(4_000))
  const waiting = sending.editDraft(sending.send(sending.closed(typed('hi')), by('first'), at(500)).sender, '')
  const sentAgain = sending.send(takeBack(waiting, 'first'), by('second'), at(1_000)).sender.outbox[0]
  for (const message of [sender.outbox[0], again.emit, sentAgain]) expect(message?.payload).toStrictEqual(complete)
})

test('SEND-2 a logged-in user sends under the account name', () => {
  expect(sending.send(typed('hi'), by('first', 'bob', false), at(1)).emit?.payload.username).toBe('bob')
})

test('SEND-4 the text stays in the field until the message is acknowledged', () => {
  const { sender } = sent('hi')
  expect(sender).toMatchObject({ draft: 'hi', fieldMessageId: 'first' })
  expect(sending.acknowledged(sender, 'first', stored, at(2)).sender).toEqual(open)
})

test('SEND-4 OUTBOX-2 an acknowledgement does not change a draft that was typed later, even with the same text', () => {
  for (const draft of [' there', '', 'history', 'hi']) {
    const edited = typed(draft, sent('hi').sender)
    expect(edited).toMatchObject({ draft, fieldMessageId: null, outbox: [{ id: 'first' }] })
    expect(sending.acknowledged(edited, 'first', stored, at(2)).sender).toMatchObject({ draft, outbox: [] })
    expect(sending.acknowledged(edited, 'other', stored, at(2)).sender).toBe(edited)
  }
})

test.each([
  ['message', '😀'.repeat(maxMessageCharacters + 1), 'bob'],
  ['username', 'hi', 'b'.repeat(maxNameCharacters + 1)],
])('WRITING-1 with a %s that is too long no message is sent, and the text is kept', (_part, draft, name) => {
  const before = typed(draft)
  expect(sending.send(before, by('first', name), at(1_000))).toEqual({ sender: before, emit: null })
})

test('WRITING-1 a message and a name of the maximum length are sent', () => {
  const longest = '😀'.repeat(maxMessageCharacters)
  expect(sending.send(typed(longest), by('first', '😀'.repeat(maxNameCharacters)), at(1)).emit?.payload.message).toBe(
    longest,
  )
})

test('DELIVERY-5 a repeated message is unchanged, also when the cursor of the page has moved', () => {
  const { sender, emit } = sent('hi')
  const parts = ({ emit: again }: sending.SenderStep) => again && { ...again, state: emit?.state }
  const moved = sending.closed(typed('more', sender))
  expect(parts(sending.opened(moved, at(9_000, { epoch: 'other', seq: 1 })))).toEqual(emit)
  const again = sending.opened(sending.closed(sender), at(99_000))
  expect(parts(sending.resend(again.sender, at(109_000)))).toEqual(emit)
})

test('DELIVERY-5 without a connection no message is emitted, and the first attempt carries the cursor of that time', () => {
  const offline = sending.send(sending.closed(typed('hi')), by('first'), at(1_000))
  expect(offline.emit).toBeNull()
  expect(sending.resendAtMs(offline.sender, 10_000)).toBeNull()
  const attempt = sending.opened(offline.sender, at(5_000, { epoch: 'log', seq: 9 })).emit
  expect(attempt).toMatchObject({ payload: { createdTime: 1_000 }, after: { epoch: 'log', seq: 9 } })
})

test('DELIVERY-5 an unacknowledged message is repeated on an open connection only', () => {
  const { sender } = sent('hi')
  expect(sending.resendAtMs(sender, 10_000)).toBe(11_000)
  expect(sending.resend(sender, at(11_000)).emit?.id).toBe('first')
  expect(sending.resendAtMs(sending.closed(sender), 10_000)).toBeNull()
  expect(sending.resend(sending.closed(sender), at(11_000)).emit).toBeNull()
  expect(sending.resend(open, at(11_000)).emit).toBeNull()
})

test('OUTBOX-1 sending an unedited pending message again has no effect', () => {
  const { sender } = sent('hi')
  expect(sending.send(sender, by('again'), at(2_000))).toEqual({ sender, emit: null })
})

test('OUTBOX-1 each Send creates one message, one is in flight, and each is emitted with the text and time of its Send', () => {
  const three = thenSent('three', 'third', thenSent('two', 'second', sent('one').sender))
  expect(states(three)).toEqual(['one sending', 'two queued', 'three queued'])
  const afterOne = sending.acknowledged(three, 'first', stored, at(3_000))
  expect(afterOne.emit).toMatchObject({ id: 'second', payload: { message: 'two', createdTime: 2_000 } })
  const afterTwo = sending.acknowledged(afterOne.sender, 'second', stored, at(4_000))
  expect(states(afterTwo.sender)).toEqual(['three sending'])
  expect(sending.acknowledged(afterTwo.sender, 'third', stored, at(5_000)).sender).toEqual(open)
})

test('OUTBOX-1 after a disconnect the first message is repeated first', () => {
  const two = sending.closed(thenSent('two', 'second', sent('one').sender))
  expect(states(two)).toEqual(['one queued', 'two queued'])
  expect(sending.opened(two, at(9_000)).emit?.id).toBe('first')
})

test('OUTBOX-3 with a full outbox Send has no effect and the text stays', () => {
  let sender = sending.closed(open)
  for (let number = 0; number <= sending.maxOutboxMessages; number++)
    sender = thenSent(`${number}`, `${number}`, sender)
  expect(sender.outbox).toHaveLength(sending.maxOutboxMessages)
  expect(sender).toMatchObject({ draft: `${sending.maxOutboxMessages}`, fieldMessageId: null })
})

test.each(['rate_limited', 'unavailable'] as const)(
  'DELIVERY-2 after %s the message is sent again automatically, unchanged and before later ones',
  (code) => {
    const { sender, emit } = sent('hi')
    const paused = sending.acknowledged(sender, 'first', rejection(code, 3_000), at(2_000)).sender
    expect(paused.outbox[0]?.state).toEqual({ kind: 'paused', reason: 'because', retryAtMs: 5_000 })
    const two = thenSent('two', 'second', paused)
    expect(states(two)).toEqual(['hi paused', 'two queued'])
    expect(sending.opened(sending.closed(two), at(4_000)).emit).toBeNull()
    expect(sending.resend(two, at(5_000)).emit).toEqual({ ...emit, state: { kind: 'sending', sentAtMs: 5_000 } })
  },
)

test('DELIVERY-2 a missing or extreme retry time is replaced by a default or a limit', () => {
  const steps = [undefined, -1, Infinity].map((ms) =>
    sending.acknowledged(sent('hi').sender, 'first', rejection('unavailable', ms), at(0)),
  )
  expect(steps.map(({ sender }) => sending.resendAtMs(sender, 10_000))).toEqual([2_000, 100, 3_600_000])
})

test.each(['invalid', 'too_long', 'id_conflict', 'expired', 'not_allowed'] as const)(
  'SEND-4 a rejection with %s keeps the text and the reason, and Send creates a new message',
  (code) => {
    const rejected = sending.acknowledged(sent('hi').sender, 'first', rejection(code), at(2_000)).sender
    expect(rejected).toMatchObject({ draft: 'hi', outbox: [{ state: { kind: 'refused', code, reason: 'because' } }] })
    expect(sending.opened(rejected, at(3_000)).emit).toBeNull()
    const again = sending.send(rejected, by('second'), at(9_000))
    expect(again.emit).toMatchObject({ id: 'second', payload: { createdTime: 9_000 } })
    expect(again.sender.outbox).toHaveLength(1)
  },
)

test('OUTBOX-4 a message is rejected only when every attempt on the connection is rejected: a later attempt may be stored', () => {
  const repeated = sending.resend(sent('hi').sender, at(11_000)).sender
  const waiting = sending.acknowledged(repeated, 'first', rejection('not_allowed'), at(12_000)).sender
  expect(states(waiting)).toEqual(['hi sending'])
  expect(sending.resendAtMs(waiting, 10_000)).toBe(22_000)
  expect(sending.acknowledged(waiting, 'first', stored, at(13_000)).sender).toEqual(open)
  const rejected = sending.acknowledged(waiting, 'first', rejection('not_allowed'), at(13_000)).sender
  expect(states(rejected)).toEqual(['hi refused'])
})

test('OUTBOX-4 the attempts of an earlier connection do not delay a rejection', () => {
  const repeated = sending.resend(sent('hi').sender, at(11_000)).sender
  const reopened = sending.opened(sending.closed(repeated), at(12_000)).sender
  const rejected = sending.acknowledged(reopened, 'first', rejection('not_allowed'), at(13_000)).sender
  expect(states(rejected)).toEqual(['hi refused'])
})

test('OUTBOX-4 a message rejected after the field was edited is shown in a row, and the next one is sent', () => {
  const other = thenSent('bye', 'second', sent('hi').sender)
  const step = sending.acknowledged(other, 'first', rejection('expired'), at(3_000))
  expect(step.emit?.payload.message).toBe('bye')
  expect(states(step.sender)).toEqual(['hi refused', 'bye sending'])
  expect(step.sender.fieldMessageId).toBe('second')
})

test('OUTBOX-4 a rejected message that is edited in place leaves no row; a rejected message that is replaced leaves a row', () => {
  const rejected = sending.acknowledged(sent('hi').sender, 'first', rejection('invalid'), at(2_000)).sender
  expect(sending.editDraft(rejected, 'hi!', true)).toMatchObject({ draft: 'hi!', outbox: [] })
  expect(states(sending.editDraft(rejected, 'other'))).toEqual(['hi refused'])
  expect(states(sending.editDraft(sent('hi').sender, 'hi!', true))).toEqual(['hi sending'])
})

test('OUTBOX-5 a message that was never emitted is replaced when it is edited in place, and stays when it is replaced', () => {
  const waiting = sending.send(typed('helo', sending.closed(open)), by('first'), at(1_000)).sender
  const edited = sending.editDraft(waiting, 'hel', true)
  expect(edited).toMatchObject({ draft: 'hel', outbox: [], fieldMessageId: null })
  expect(states(thenSent('hello', 'second', edited))).toEqual(['hello queued'])
  for (const draft of ['', 'other']) expect(states(sending.editDraft(waiting, draft))).toEqual(['helo queued'])
  // A lost connection may have delivered a message that was emitted.
  expect(states(sending.editDraft(sending.closed(sent('helo').sender), 'hel', true))).toEqual(['helo queued'])
})

test('OUTBOX-5 Send under another name replaces a message that was never emitted, and has no effect on an emitted message', () => {
  const paul = by('second', 'Paul')
  const waiting = sending.send(typed('hi', sending.closed(open)), by('first', 'Peter'), at(1_000)).sender
  const renamed = sending.send(waiting, paul, at(2_000)).sender
  expect(renamed).toMatchObject({ draft: 'hi', fieldMessageId: 'second' })
  expect(renamed.outbox.map(({ payload }) => payload)).toEqual([
    { username: 'Paul (not loggedin)', message: 'hi', createdTime: 2_000 },
  ])
  for (const name of [' ', 'b'.repeat(maxNameCharacters + 1)])
    expect(sending.send(waiting, by('second', name), at(2_000)).sender).toBe(waiting)
  const emitted = sent('hi').sender
  for (const sender of [emitted, sending.closed(emitted)])
    expect(sending.send(sender, paul, at(2_000))).toEqual({ sender, emit: null })
})

test('OUTBOX-5 an edit can replace a message unless it is pending and may have been stored', () => {
  const waiting = sending.send(typed('hi', sending.closed(open)), by('first'), at(1_000)).sender
  expect(waiting.outbox.map(sending.isReplaceable)).toStrictEqual([true])
  const emitted = sent('hi').sender
  for (const sender of [emitted, sending.closed(emitted)]) {
    expect(sender.outbox.map(sending.isReplaceable)).toStrictEqual([false])
  }
  expect(sending.holdPending(emitted).outbox.map(sending.isReplaceable)).toStrictEqual([true])
})
