import { expect, test } from 'vitest'
import { createGuard, type GuardEvent } from './error-guard.ts'

function createReportedGuard() {
  const events: GuardEvent[] = []
  return { guard: createGuard((event) => events.push(event)), events }
}

test('EDGE-1 an error in a callback is reported and closes its connection', () => {
  const { guard, events } = createReportedGuard()
  const closed: unknown[] = []
  const callback = guard.wrap(
    'example',
    function (this: object, _socket: string) {
      throw new Error('unexpected state')
    },
    function (this: object, socket) {
      closed.push(this, socket)
    },
  )
  const connection = {}
  callback.call(connection, 'socket')
  expect(closed).toStrictEqual([connection, 'socket'])
  const error = new Error('unexpected state')
  expect(events).toStrictEqual([{ type: 'callback-failed', callback: 'example', error }])
})

test('EDGE-1 an error in closing the connection is reported too', () => {
  const { guard, events } = createReportedGuard()
  const fail = () => {
    throw new Error('broken')
  }
  guard.wrap('example', fail, fail).call(undefined)
  expect(events.map(({ type }) => type)).toStrictEqual(['callback-failed', 'close-failed'])
})
