import { Writable } from 'node:stream'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { withoutReservedKeys } from './create-log.ts'

test('OPERATING-1 no line of the log has a key twice, whatever is logged', () => {
  let line = ''
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      line += String(chunk)
      done()
    },
  })
  const log = pino({ formatters: { log: withoutReservedKeys } }, sink)
  log.warn({ level: 'shed-logins', time: 1, pid: 2, hostname: 'x', msg: 'y', reason: 'z' }, 'told')
  for (const key of ['level', 'time', 'pid', 'hostname', 'msg']) expect(line.split(`"${key}":`)).toHaveLength(2)
  expect(JSON.parse(line)).toMatchObject({ level: 40, msg: 'told', level_: 'shed-logins', msg_: 'y', reason: 'z' })
})
