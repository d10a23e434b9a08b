import { expect, test } from 'vitest'
import { adoptEarlyText, moveToField } from './outbox-rows.ts'
import { restoreSender, serializeDraft, serializeOutbox } from './stored-sender.ts'
import * as sending from './sender.ts'

const at = (ms: number) => ({ nowMs: ms, elapsedMs: ms, cursor: null })
const mia = { id: 'as mia', name: 'Mia', anonymous: false }
const anonymous = { id: 'as anonymous', name: 'anonymous', anonymous: true }
const written = sending.editDraft(sending.opened(sending.initialSender, at(0)).sender, 'hello', false, 'Mia')
const reloaded = (sender: sending.Sender) =>
  sending.opened(
    restoreSender(sending.initialSender, { outbox: serializeOutbox(sender), draft: serializeDraft(sender) }, 1),
    at(1),
  ).sender

test('DELIVERY-6 after a reload a draft written under an account is sent under that account only', () => {
  const sender = reloaded(written)
  expect(sending.needsAuthorChoice(sender, null)).toBe(true)
  expect(sending.needsAuthorChoice(sender, 'Bob')).toBe(true)
  expect(sending.send(sender, anonymous, at(2))).toEqual({ sender, emit: null })
  const edited = sending.editDraft(sender, 'hello!')
  expect(sending.send(edited, anonymous, at(2)).emit).toBeNull()
  expect(sending.needsAuthorChoice(edited, 'Mia')).toBe(false)
  expect(sending.send(edited, mia, at(2)).emit?.payload).toMatchObject({ username: 'Mia', message: 'hello!' })
})

test('DELIVERY-6 the current user is the author of a draft that begins in an empty field', () => {
  const cleared = sending.editDraft(reloaded(written), '')
  const sender = sending.editDraft(cleared, 'new')
  expect(sending.send(sender, anonymous, at(2)).emit?.payload.message).toBe('new')
  const stored = sending.acknowledged(sending.send(written, mia, at(1)).sender, mia.id, { ok: true, seq: 1 }, at(2))
  expect(stored.sender.draftAccount).toBeNull()
})

test('DELIVERY-6 a message of an account that the field still shows after a reload is not sent under another name', () => {
  const sender = reloaded(sending.send(sending.closed(written), mia, at(1)).sender)
  expect(sender).toMatchObject({ fieldMessageId: mia.id, outbox: [{ state: { kind: 'held' } }] })
  expect(sending.send(sender, anonymous, at(2)).emit).toBeNull()
  expect(sending.send(sender, mia, at(2)).emit?.payload.username).toBe('Mia')
})

test('DELIVERY-6 a draft keeps its author when it becomes a row and when it returns to the field', () => {
  const replaced = adoptEarlyText(reloaded(written), 'typed early', 'row')
  expect(sending.needsAuthorChoice(replaced, null)).toBe(false)
  expect(replaced.outbox.map(sending.accountOf)).toEqual(['Mia'])
  const returned = moveToField(replaced, 'row', 'other row')
  expect(sending.needsAuthorChoice(returned, null)).toBe(true)
  expect(returned.outbox.map(sending.accountOf)).toEqual([null])
})
