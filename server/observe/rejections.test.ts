import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createRefusals, type RefusalReason } from './rejections.ts'

test('OPERATING-6 a refusal by a limit names the setting behind that limit', () => {
  const lines: string[] = []
  const log = pino({}, { write: (line) => void lines.push(line) })
  const note = createRefusals(() => undefined, log)
  const settings: [RefusalReason, string][] = [
    ['send_rate_limited', 'MESSAGES_PER_SECOND'],
    ['connect_rate_limited', 'MAX_CONNECTIONS_PER_IP'],
    ['tcp_per_address', 'MAX_CONNECTIONS_PER_IP'],
  ]
  for (const [reason, setting] of settings) {
    note(reason)
    expect(JSON.parse(lines.pop() ?? '')).toMatchObject({ reason, msg: expect.stringContaining(`see ${setting}`) })
  }
})
