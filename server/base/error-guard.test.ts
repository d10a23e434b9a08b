import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createGuard } from './error-guard.ts'

function guardWithLog() {
  const lines: string[] = []
  const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) })
  return { guard: createGuard(log), lines }
}

test('EDGE-1 what a callback throws ends its connection, is logged, and goes no further', () => {
  const { guard, lines } = guardWithLog()
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
  expect(lines.join()).toContain('a state that nobody thought of')
})

test('EDGE-1 a connection that cannot even be ended goes no further either', () => {
  const { guard, lines } = guardWithLog()
  const fail = () => {
    throw new Error('broken')
  }
  guard.wrap('example', fail, fail).call(undefined)
  expect(lines).toHaveLength(2)
})
