import { expect, test } from 'vitest'
import { createGuard, type GuardEvent } from './error-guard.ts'

function createReportedGuard() {
  const events: GuardEvent[] = []
  return { guard: createGuard((event) => events.push(event)), events }
}

test('EDGE-1 what a callback throws ends its connection, is logged, and goes no further', () => {
  const { guard, events } = createReportedGuard()
  const ended: unknown[] = []
  const callback = guard.wrap(
    'example',
    function (this: object, _socket: string) {
      throw new Error('a state that nobody thought of')
    },
    function (this: object, socket) {
      ended.push(this, socket)
    },
  )
  const connection = {}
  callback.call(connection, 'socket')
  expect(ended).toStrictEqual([connection, 'socket'])
  const error = new Error('a state that nobody thought of')
  expect(events).toStrictEqual([{ type: 'callback-failed', callback: 'example', error }])
})

test('EDGE-1 a connection that cannot even be ended goes no further either', () => {
  const { guard, events } = createReportedGuard()
  const fail = () => {
    throw new Error('broken')
  }
  guard.wrap('example', fail, fail).call(undefined)
  expect(events.map(({ type }) => type)).toStrictEqual(['callback-failed', 'close-failed'])
})
