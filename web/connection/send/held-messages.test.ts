import { expect, test } from 'vitest'
import * as sending from './sender.ts'
import { at, by, position, rejection, sent, states, thenSent } from './sender-steps.suite.ts'

test('DELIVERY-6 after a login a held message is sent on Send, with its id and time under the new name', () => {
  const held = sending.holdPending(sent('hi').sender)
  expect(sending.resendAtMs(held, 10_000)).toBeNull()
  const reopened = sending.opened(sending.closed(held), at(3_000))
  expect(reopened).toMatchObject({ emit: null, sender: { draft: 'hi' } })
  const again = sending.send(reopened.sender, by('second', 'Bob', false), at(4_000)).emit
  expect(again).toMatchObject({
    id: 'first',
    payload: { username: 'Bob', message: 'hi', createdTime: 1_000 },
    after: position,
  })
})

test('DELIVERY-6 messages queued before a login are held, and each is sent only by its Send button', () => {
  const held = sending.holdPending(thenSent('two', 'second', sent('one').sender))
  const reopened = sending.opened(sending.closed(held), at(3_000))
  expect(reopened.emit).toBeNull()
  expect(states(reopened.sender)).toEqual(['one held', 'two held'])
  const sentHeld = sending.sendHeld(reopened.sender, 'first', by('-', 'Bob', false), at(4_000))
  expect(sentHeld.emit).toMatchObject({
    id: 'first',
    payload: { username: 'Bob', createdTime: 1_000 },
    after: position,
  })
  const next = sending.sendHeld(sentHeld.sender, 'second', by('-', 'Bob', false), at(5_000)).sender
  expect(states(next)).toEqual(['one sending', 'two queued'])
  // The second message was never emitted before, so it gets the current time.
  expect(next.outbox[1]?.payload.createdTime).toBe(5_000)
})

test('DELIVERY-6 a token rejected on an open connection holds all pending messages', () => {
  const two = thenSent('two', 'second', sent('one').sender)
  const step = sending.acknowledged(two, 'first', rejection('unauthorized'), at(3_000))
  expect(step.emit).toBeNull()
  expect(states(step.sender)).toEqual(['one held', 'two held'])
})
