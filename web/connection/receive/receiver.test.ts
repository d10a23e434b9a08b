import { expect, test } from 'vitest'
import { initialReceiver, reduceReceiver, type Receiver, type ReceiverInput } from './receiver.ts'

const at = (seq: number, epoch = 'log') => ({ epoch, seq })
const cursor = (seq: number, epoch?: string): ReceiverInput => ({ kind: 'cursor', cursor: at(seq, epoch) })
const message = (seq: number, epoch?: string): ReceiverInput => ({ kind: 'message', position: at(seq, epoch) })
const handshake: ReceiverInput = { kind: 'handshake' }

function run(inputs: ReceiverInput[], receiver: Receiver = initialReceiver) {
  const tasks = inputs.map((input) => {
    const step = reduceReceiver(receiver, input)
    receiver = step.receiver
    return step.action
  })
  return { tasks, receiver }
}

test('RT-5 a first cursor is no gap, and what follows it is appended', () => {
  expect(run([handshake, cursor(41), message(42), message(43)])).toEqual({
    tasks: ['none', 'none', 'append', 'append'],
    receiver: { cursor: at(43), awaiting: null },
  })
})

test('RT-3 a server that numbers nothing is simply listened to', () => {
  const plain: ReceiverInput = { kind: 'message', position: undefined }
  expect(run([handshake, plain, plain])).toEqual({
    tasks: ['none', 'append', 'append'],
    receiver: { cursor: null, awaiting: 'handshake' },
  })
})

test('DELIVERY-4 what has been seen is dropped', () => {
  const { tasks } = run([handshake, cursor(5), message(6), message(6), message(5), message(7)])
  expect(tasks).toEqual(['none', 'none', 'append', 'drop', 'drop', 'append'])
})

test('DELIVERY-4 a hole asks once, ignores messages until the answer, and is then served', () => {
  const holed = run([handshake, cursor(5), message(7), message(8), message(9)])
  expect(holed.tasks).toEqual(['none', 'none', 'resume', 'drop', 'drop'])
  expect(holed.receiver).toEqual({ cursor: at(5), awaiting: 'resume' })
  expect(run([cursor(5), message(6), message(7)], holed.receiver).tasks).toEqual(['none', 'append', 'append'])
})

test('DELIVERY-4 a message of another log asks as a hole does', () => {
  expect(run([handshake, cursor(5), message(6, 'other')]).tasks.at(-1)).toBe('resume')
})

test('DELIVERY-4 an answer that was overtaken by a word of the server moves nobody back', () => {
  const overtaken = run([handshake, cursor(5), message(7), cursor(9), message(10), cursor(5), message(6), message(11)])
  expect(overtaken.tasks.slice(2)).toEqual(['resume', 'gap', 'append', 'none', 'drop', 'append'])
})

test('DELIVERY-3 a returning page that is confirmed where it stood sees no gap', () => {
  const { tasks } = run([handshake, cursor(5), message(6), handshake, message(7), cursor(6), message(7)])
  expect(tasks.slice(3)).toEqual(['none', 'drop', 'none', 'append'])
})

test.each([
  ['a trimmed log', cursor(90), 91, 'log'],
  ['another log', cursor(6, 'other'), 7, 'other'],
  ['a log that is shorter than what was seen', cursor(2), 3, 'log'],
])('DELIVERY-4 %s is a gap, and the list goes on from where the server says', (_case, answer, seq, epoch) => {
  for (const asked of [handshake, message(8)]) {
    const { tasks, receiver } = run([handshake, cursor(5), message(6), asked, answer, message(seq, epoch)])
    expect(tasks.slice(4)).toEqual(['gap', 'append'])
    expect(receiver).toEqual({ cursor: at(seq, epoch), awaiting: null })
  }
})

test('DELIVERY-4 a log trimmed under the replay is a gap too, though nobody asked', () => {
  const { tasks } = run([handshake, cursor(5), message(6), cursor(90), message(91)])
  expect(tasks.slice(3)).toEqual(['gap', 'append'])
})
