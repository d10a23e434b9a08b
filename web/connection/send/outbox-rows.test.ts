import { expect, test } from 'vitest'
import {
  adoptEarlyText,
  canTakeBack,
  dismiss,
  earlierName,
  moveToField,
  outboxRows,
  takeBack,
  undoDismiss,
} from './outbox-rows.ts'
import { maxUnaskedAgeMs, serializeDraft, serializeOutbox, restoreSender } from './stored-sender.ts'
import * as sending from './sender.ts'

const at = (ms: number) => ({ nowMs: ms, elapsedMs: ms, cursor: { epoch: 'log', seq: 5 } })
const texts = ({ outbox }: sending.Sender) => outbox.map(({ payload, state }) => `${payload.message} ${state.kind}`)

/** Returns a sender that has sent each message without a connection. */
function queued(...messages: string[]) {
  let sender = sending.initialSender
  for (const text of messages) {
    const anonymous = { id: text, name: 'bob', anonymous: true }
    sender = sending.send(sending.editDraft(sender, text), anonymous, at(1)).sender
  }
  return sender
}

test('OUTBOX-2 a message is shown in the field or in a row, never in both', () => {
  const two = queued('one', 'two')
  expect(outboxRows(two).map(({ id }) => id)).toEqual(['one'])
  expect(outboxRows(sending.editDraft(two, '')).map(({ id }) => id)).toEqual(['one', 'two'])
})

test('OUTBOX-5 a message that was never emitted can be withdrawn, into an empty field or as a held message', () => {
  const empty = sending.editDraft(queued('one', 'two'), '')
  expect(takeBack(empty, 'one')).toMatchObject({ draft: 'one', fieldMessageId: null, outbox: [{ id: 'two' }] })
  expect(takeBack(sending.editDraft(empty, 'new'), 'one')).toMatchObject({
    draft: 'new',
    outbox: [{ id: 'one', state: { kind: 'held' } }, { id: 'two' }],
  })
})

test('OUTBOX-5 a message that was emitted cannot be withdrawn or dismissed, because it may be stored', () => {
  const emitted = sending.closed(sending.opened(sending.editDraft(queued('one'), ''), at(2)).sender)
  expect(emitted.outbox.map(canTakeBack)).toEqual([false])
  for (const act of [takeBack, dismiss]) expect(act(emitted, 'one')).toBe(emitted)
  expect(moveToField(emitted, 'one', 'kept')).toBe(emitted)
})

test('OUTBOX-5 a pending message has an earlier name while the user has another name, whether it was emitted or not', () => {
  const waiting = queued('one')
  const earlierNames = ({ outbox }: sending.Sender, name: string) =>
    outbox.map((message) => earlierName(message, `${name} (not loggedin)`))
  expect(earlierNames(waiting, 'bob')).toEqual([null])
  for (const sender of [waiting, sending.opened(waiting, at(2)).sender])
    expect(earlierNames(sender, 'Paul')).toEqual(['bob'])
  // Send gives a held message the name of the user.
  expect(earlierNames(sending.holdPending(waiting), 'Paul')).toEqual([null])
})

test('OUTBOX-5 a message that is moved into the field swaps with the draft, and neither text is lost', () => {
  const held = sending.holdPending(sending.editDraft(queued('one'), ''))
  expect(moveToField(held, 'one', 'kept')).toMatchObject({ draft: 'one', outbox: [] })
  const swapped = moveToField(sending.editDraft(held, 'half a'), 'one', 'kept')
  expect(swapped).toMatchObject({ draft: 'one', fieldMessageId: null })
  expect(texts(swapped)).toEqual(['half a held'])
  expect(texts(dismiss(swapped, 'kept'))).toEqual([])
})

test('OUTBOX-5 a dismissed message can be restored unchanged, once, and a pending one cannot', () => {
  const held = sending.holdPending(sending.editDraft(queued('one', 'two'), ''))
  const [one] = held.outbox
  if (one === undefined) throw new Error('no message is held')
  const back = undoDismiss(dismiss(held, 'one'), one)
  expect(texts(back)).toEqual(['two held', 'one held'])
  expect(undoDismiss(back, one)).toBe(back)
  expect(undoDismiss(sending.initialSender, { ...one, state: { kind: 'queued' } })).toBe(sending.initialSender)
})

test('OUTBOX-5 moving a message into a field that shows a pending message of the same text loses neither', () => {
  const held = sending.holdPending(sending.editDraft(queued('same'), ''))
  const sent = sending.send(sending.editDraft(held, 'same'), { id: 'two', name: 'bob', anonymous: true }, at(2)).sender
  const moved = moveToField(sent, 'same', 'kept')
  expect(moved).toMatchObject({ draft: 'same', fieldMessageId: null })
  expect(texts(moved)).toEqual(['same queued'])
})

test('HYDRATION-1 text typed before hydration does not overwrite a restored draft', () => {
  expect(adoptEarlyText(sending.initialSender, 'early', 'kept')).toMatchObject({ draft: 'early', outbox: [] })
  const both = adoptEarlyText(sending.editDraft(sending.initialSender, 'draft'), 'early', 'kept')
  expect(both.draft).toBe('early')
  expect(texts(both)).toEqual(['draft held'])
})

const reload = (sender: sending.Sender, nowMs = 3) =>
  restoreSender(sending.initialSender, { outbox: serializeOutbox(sender), draft: serializeDraft(sender) }, nowMs)

test('OUTBOX-6 a reload restores draft, order, ids and cursors, and repeats the message unchanged', () => {
  const before = sending.opened(sending.editDraft(queued('one', 'two'), 'half'), at(2))
  const after = reload(before.sender)
  expect(after).toMatchObject({ draft: 'half', fieldMessageId: null, isOpen: false })
  expect(texts(after)).toEqual(['one queued', 'two queued'])
  expect(sending.opened(after, at(99_000)).emit).toEqual({
    ...before.emit,
    state: { kind: 'sending', sentAtMs: 99_000 },
  })
  expect(reload(queued('one'))).toMatchObject({ draft: 'one', fieldMessageId: 'one' })
})

test('OUTBOX-6 a message sent under an account is held after a reload, because the page is anonymous', () => {
  const account = { id: 'one', name: 'Bob', anonymous: false }
  const sender = sending.send(sending.editDraft(sending.initialSender, 'one'), account, at(1)).sender
  expect(texts(reload(sender))).toEqual(['one held'])
})

test('OUTBOX-6 an empty sender is not stored, and unreadable stored values are ignored', () => {
  expect([serializeOutbox(sending.initialSender), serializeDraft(sending.initialSender)]).toEqual([null, null])
  for (const text of ['', '{', 'null', '[]', '[null]', '[{"id":1}]', '{"draft":1}', '"x"']) {
    expect(restoreSender(sending.initialSender, { outbox: text, draft: text }, 3)).toEqual(sending.initialSender)
  }
})

test('OUTBOX-6 a reopened tab sends recent messages by itself and holds older ones', () => {
  const waiting = queued('one')
  const pressedAtMs = waiting.outbox[0]?.payload.createdTime ?? 0
  expect(texts(reload(waiting, pressedAtMs + maxUnaskedAgeMs))).toEqual(['one queued'])
  const late = reload(waiting, pressedAtMs + maxUnaskedAgeMs + 1)
  expect(texts(late)).toEqual(['one held'])
  expect(sending.opened(late, at(3)).emit).toBeNull()
  expect(
    sending.send(sending.opened(late, at(3)).sender, { id: 'new', name: 'bob', anonymous: true }, at(4)).emit,
  ).toMatchObject({ id: 'one' })
})

test('OUTBOX-6 an outbox and a draft stored by an earlier version of the page are restored', () => {
  const cursor = '{"epoch":"log","seq":5}'
  const payload = (message: string) => `{"username":"bob (not loggedin)","message":"${message}","createdTime":1}`
  const outbox = `[
    {"id":"1","payload":${payload('rejected')},"after":${cursor},"anonymous":true,"state":{"kind":"refused","code":"invalid","reason":"No."}},
    {"id":"2","payload":${payload('held')},"after":${cursor},"anonymous":false,"state":{"kind":"held"}},
    {"id":"3","payload":${payload('sending')},"after":${cursor},"anonymous":true,"state":{"kind":"sending","sentAtMs":9}},
    {"id":"4","payload":${payload('queued')},"anonymous":true,"state":{"kind":"queued"}}
  ]`
  const stored = { outbox, draft: '{"draft":"queued","inField":"4"}' }
  const restored = restoreSender(sending.initialSender, stored, 3)
  expect(texts(restored)).toEqual(['rejected refused', 'held held', 'sending queued', 'queued queued'])
  expect(restored).toMatchObject({ draft: 'queued', fieldMessageId: '4' })
  expect(restored.outbox[2]?.after).toEqual({ epoch: 'log', seq: 5 })
  expect(JSON.parse(serializeDraft(restored) ?? '')).toEqual({ draft: 'queued', inField: '4' })
})
