import { expect, test } from 'vitest'
import { adoptEarlyText, moveToField, canTakeBack, dismiss, outboxRows, takeBack, undoDismiss } from './outbox-rows.ts'
import { serializeDraft, serializeOutbox, restoreSender } from './stored-sender.ts'
import * as sending from './sender.ts'

const at = (ms: number) => ({ nowMs: ms, elapsedMs: ms, cursor: { epoch: 'log', seq: 5 } })
const texts = ({ outbox }: sending.Sender) => outbox.map(({ payload, state }) => `${payload.message} ${state.kind}`)

/** Presses each over the last, as a page without a connection. */
function waiting(...messages: string[]) {
  let sender = sending.initialSender
  for (const text of messages) {
    const anonymous = { id: text, name: 'bob', anonymous: true }
    sender = sending.send(sending.editDraft(sender, text), anonymous, at(1)).sender
  }
  return sender
}

test('OUTBOX-2 what was pressed stands in the field or in a row, never in both', () => {
  const two = waiting('one', 'two')
  expect(outboxRows(two).map(({ id }) => id)).toEqual(['one'])
  expect(outboxRows(sending.editDraft(two, '')).map(({ id }) => id)).toEqual(['one', 'two'])
})

test('OUTBOX-5 a message that no connection has had can be taken back, into an empty field or to be held', () => {
  const empty = sending.editDraft(waiting('one', 'two'), '')
  expect(takeBack(empty, 'one')).toMatchObject({ draft: 'one', fieldMessageId: null, outbox: [{ id: 'two' }] })
  expect(takeBack(sending.editDraft(empty, 'new'), 'one')).toMatchObject({
    draft: 'new',
    outbox: [{ id: 'one', state: { kind: 'held' } }, { id: 'two' }],
  })
})

test('OUTBOX-5 a message that a connection has had cannot be taken back or dismissed: it may be stored', () => {
  const handed = sending.closed(sending.opened(sending.editDraft(waiting('one'), ''), at(2)).sender)
  expect(handed.outbox.map(canTakeBack)).toEqual([false])
  for (const act of [takeBack, dismiss]) expect(act(handed, 'one')).toBe(handed)
  expect(moveToField(handed, 'one', 'kept')).toBe(handed)
})

test('OUTBOX-5 what is brought into the field changes places with an unsent text, and neither is lost', () => {
  const held = sending.holdPending(sending.editDraft(waiting('one'), ''))
  expect(moveToField(held, 'one', 'kept')).toMatchObject({ draft: 'one', outbox: [] })
  const swapped = moveToField(sending.editDraft(held, 'half a'), 'one', 'kept')
  expect(swapped).toMatchObject({ draft: 'one', fieldMessageId: null })
  expect(texts(swapped)).toEqual(['half a held'])
  expect(texts(dismiss(swapped, 'kept'))).toEqual([])
})

test('OUTBOX-5 what was dismissed comes back as it was, once, and never what is promised', () => {
  const held = sending.holdPending(sending.editDraft(waiting('one', 'two'), ''))
  const [one] = held.outbox
  if (one === undefined) throw new Error('nothing is held')
  const back = undoDismiss(dismiss(held, 'one'), one)
  expect(texts(back)).toEqual(['two held', 'one held'])
  expect(undoDismiss(back, one)).toBe(back)
  expect(undoDismiss(sending.initialSender, { ...one, state: { kind: 'queued' } })).toBe(sending.initialSender)
})

test('OUTBOX-5 beside a message of the same words that waits in the field, nothing is lost either', () => {
  const held = sending.holdPending(sending.editDraft(waiting('same'), ''))
  const pressed = sending.send(
    sending.editDraft(held, 'same'),
    { id: 'two', name: 'bob', anonymous: true },
    at(2),
  ).sender
  const brought = moveToField(pressed, 'same', 'kept')
  expect(brought).toMatchObject({ draft: 'same', fieldMessageId: null })
  expect(texts(brought)).toEqual(['same queued'])
})

test('HYDRATION-1 what was typed before the script came does not mix with a draft from before the reload', () => {
  expect(adoptEarlyText(sending.initialSender, 'early', 'kept')).toMatchObject({ draft: 'early', outbox: [] })
  const both = adoptEarlyText(sending.editDraft(sending.initialSender, 'draft'), 'early', 'kept')
  expect(both.draft).toBe('early')
  expect(texts(both)).toEqual(['draft held'])
})

const reload = (sender: sending.Sender) =>
  restoreSender(sending.initialSender, serializeOutbox(sender), serializeDraft(sender))

test('OUTBOX-6 a reload finds draft, order, ids and places again, and repeats are the same to the letter', () => {
  const before = sending.opened(sending.editDraft(waiting('one', 'two'), 'half'), at(2))
  const after = reload(before.sender)
  expect(after).toMatchObject({ draft: 'half', fieldMessageId: null, isOpen: false })
  expect(texts(after)).toEqual(['one queued', 'two queued'])
  expect(sending.opened(after, at(99_000)).emit).toEqual({
    ...before.emit,
    state: { kind: 'sending', sentAtMs: 99_000 },
  })
  expect(reload(waiting('one'))).toMatchObject({ draft: 'one', fieldMessageId: 'one' })
})

test('OUTBOX-6 what was sent under an account is held after a reload, because the page is anonymous then', () => {
  const account = { id: 'one', name: 'Bob', anonymous: false }
  const sender = sending.send(sending.editDraft(sending.initialSender, 'one'), account, at(1)).sender
  expect(texts(reload(sender))).toEqual(['one held'])
})

test('OUTBOX-6 nothing to keep is nothing kept, and what cannot be read is as if nothing had been kept', () => {
  expect([serializeOutbox(sending.initialSender), serializeDraft(sending.initialSender)]).toEqual([null, null])
  for (const text of ['', '{', 'null', '[]', '[null]', '[{"id":1}]', '{"draft":1}', '"x"']) {
    expect(restoreSender(sending.initialSender, text, text)).toEqual(sending.initialSender)
  }
})
