import { expect, test } from 'vitest'
import { initialReceiver, reduceReceiver, type Receiver, type ReceiverInput } from './receiver.ts'

const at = (seq: number, epoch = 'log') => ({ epoch, seq })
const cursor = (seq: number, epoch?: string): ReceiverInput => ({ kind: 'cursor', cursor: at(seq, epoch) })
const message = (seq: number, epoch?: string): ReceiverInput => ({ kind: 'message', position: at(seq, epoch) })
const handshake: ReceiverInput = { kind: 'handshake' }

function run(inputs: ReceiverInput[], receiver: Receiver = initialReceiver) {
  const actions = inputs.map((input) => {
    const step = reduceReceiver(receiver, input)
    receiver = step.receiver
    return step.action
  })
  return { actions, receiver }
}

test('RT-5 the first cursor is not a gap, and the messages after it are appended', () => {
  expect(run([handshake, cursor(41), message(42), message(43)])).toEqual({
    actions: ['none', 'none', 'append', 'append'],
    receiver: { cursor: at(43), awaiting: null },
  })
})

test('RT-3 messages without a position are appended', () => {
  const withoutPosition: ReceiverInput = { kind: 'message', position: undefined }
  expect(run([handshake, withoutPosition, withoutPosition])).toEqual({
    actions: ['none', 'append', 'append'],
    receiver: { cursor: null, awaiting: 'handshake' },
  })
})

test('DELIVERY-4 a message that was already received is dropped', () => {
  const { actions } = run([handshake, cursor(5), message(6), message(6), message(5), message(7)])
  expect(actions).toEqual(['none', 'none', 'append', 'drop', 'drop', 'append'])
})

test('DELIVERY-4 a missing message triggers one resume, messages are dropped until the cursor, then appended', () => {
  const withGap = run([handshake, cursor(5), message(7), message(8), message(9)])
  expect(withGap.actions).toEqual(['none', 'none', 'resume', 'drop', 'drop'])
  expect(withGap.receiver).toEqual({ cursor: at(5), awaiting: 'resume' })
  expect(run([cursor(5), message(6), message(7)], withGap.receiver).actions).toEqual(['none', 'append', 'append'])
})

test('DELIVERY-4 a message of another log triggers a resume', () => {
  expect(run([handshake, cursor(5), message(6, 'other')]).actions.at(-1)).toBe('resume')
})

test('DELIVERY-4 a late response to resume does not move the page back behind a newer cursor of the server', () => {
  const overtaken = run([handshake, cursor(5), message(7), cursor(9), message(10), cursor(5), message(6), message(11)])
  expect(overtaken.actions.slice(2)).toEqual(['resume', 'gap', 'append', 'none', 'drop', 'append'])
})

test('DELIVERY-3 a reconnect that confirms the cursor is not a gap', () => {
  const { actions } = run([handshake, cursor(5), message(6), handshake, message(7), cursor(6), message(7)])
  expect(actions.slice(3)).toEqual(['none', 'drop', 'none', 'append'])
})

test.each([
  ['a trimmed log', cursor(90), 91, 'log'],
  ['another log', cursor(6, 'other'), 7, 'other'],
  ['a log that ends before the cursor', cursor(2), 3, 'log'],
])('DELIVERY-4 %s is a gap, and the page continues from the new cursor', (_case, response, seq, epoch) => {
  for (const request of [handshake, message(8)]) {
    const { actions, receiver } = run([handshake, cursor(5), message(6), request, response, message(seq, epoch)])
    expect(actions.slice(4)).toEqual(['gap', 'append'])
    expect(receiver).toEqual({ cursor: at(seq, epoch), awaiting: null })
  }
})

test('DELIVERY-4 another epoch is a gap for a page at seq 0, which may have missed lost messages', () => {
  const { actions } = run([handshake, cursor(0), handshake, cursor(0, 'other'), message(1, 'other')])
  expect(actions.slice(2)).toEqual(['none', 'gap', 'append'])
})

test('DELIVERY-4 a cursor that the server sends during a replay of a trimmed log is a gap', () => {
  const { actions } = run([handshake, cursor(5), message(6), cursor(90), message(91)])
  expect(actions.slice(3)).toEqual(['gap', 'append'])
})

const removal = (removals: number): ReceiverInput => ({ kind: 'removal', removals })
const withRemovals = (seq: number, removals: number, epoch?: string): ReceiverInput => ({
  kind: 'cursor',
  cursor: { ...at(seq, epoch), removals },
})

test('MODERATION-30 a page counts removals from its first cursor on, apart from its position', () => {
  expect(run([handshake, withRemovals(5, 3), message(6), removal(4), message(7)]).receiver).toEqual({
    cursor: at(7),
    awaiting: null,
    removals: 4,
  })
})

test('MODERATION-30 a returning page does not count removals that it has not received yet', () => {
  const returned = run([handshake, withRemovals(5, 3), handshake, withRemovals(5, 9)])
  expect(returned.receiver.removals).toBe(3)
  expect(run([removal(8), handshake], returned.receiver).receiver.removals).toBe(8)
  // The number does not decrease after a repeated removal, or on a node of an older version that counts no removals.
  expect(run([removal(8), removal(4), handshake, cursor(5)], returned.receiver).receiver.removals).toBe(8)
})

test('MODERATION-30 after a log was rolled back or replaced, a page counts the removals of that log', () => {
  const held = run([handshake, withRemovals(5, 7)]).receiver
  expect(run([handshake, withRemovals(2, 4)], held).receiver.removals).toBe(4)
  expect(run([handshake, withRemovals(5, 9, 'other')], held).receiver.removals).toBe(9)
})
