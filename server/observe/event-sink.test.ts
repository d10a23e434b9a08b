import { pino } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { settingSchema } from '../config/setting-schema.ts'
import { createEventSink } from './event-sink.ts'
import { noMetrics } from './metrics-recorder.ts'
import { type RejectionReason, settingBehind } from './reasons.ts'
import { throttleMs } from './throttle.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function createLoggedSink(metrics = noMetrics) {
  const lines: Record<string, unknown>[] = []
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) })
  return { report: createEventSink(log, metrics), lines }
}

test('OPERATING-6 the log line of a rejection by a limit names its setting', () => {
  const { report, lines } = createLoggedSink()
  const settings: [RejectionReason, string][] = [
    ['send_rate_limited', 'MESSAGES_PER_SECOND'],
    ['connect_rate_limited', 'MAX_CONNECTIONS_PER_IP'],
    ['tcp_per_address', 'MAX_CONNECTIONS_PER_IP'],
  ]
  for (const [reason, setting] of settings) {
    report({ type: 'request-rejected', reason })
    expect(lines.pop()).toMatchObject({ reason, setting: expect.stringMatching(new RegExp(`^${setting}\\b`)) })
  }
})

test('OPERATING-6 the log names each setting that limits clients, for at least one reason of a rejection', () => {
  const named = new Set(Object.values(settingBehind).flatMap((names) => names.split(' and ')))
  const limits = Object.values(settingSchema)
    .map(({ name }): string => name)
    .filter((name) => name.includes('PER_'))
  expect(limits.length).toBeGreaterThan(2)
  expect(limits.filter((name) => !named.has(name))).toStrictEqual([])
})

test('OPERATING-6 an event that clients can repeat is logged at once and then once a minute, and always counted', () => {
  const closed: string[] = []
  const { report, lines } = createLoggedSink({ ...noMetrics, slowConsumerClosed: (reason) => closed.push(reason) })
  for (let i = 0; i < 100; i++) report({ type: 'slow-consumer-closed', reason: 'unread' })
  report({ type: 'slow-consumer-closed', reason: 'unwritable' })
  vi.advanceTimersByTime(throttleMs)
  expect(lines).toMatchObject([
    { msg: 'connection closed: slow consumer', reason: 'unread', count: 1 },
    { msg: 'connection closed: slow consumer', reason: 'unwritable', count: 1 },
    { msg: 'connection closed: slow consumer', reason: 'unread', count: 99 },
  ])
  expect(closed).toHaveLength(101)
})

test('OPERATING-6 an input that makes a handler fail does not flood the log, and does not hide errors of other handlers', () => {
  const { report, lines } = createLoggedSink()
  for (let i = 0; i < 100; i++) report({ type: 'handler-failed', handler: 'send_message', error: new Error('defect') })
  for (let i = 0; i < 100; i++) report({ type: 'callback-failed', callback: 'event', error: new Error('defect') })
  report({ type: 'handler-failed', handler: 'resume', error: new Error('another') })
  expect(lines).toMatchObject([
    {
      msg: 'handler failed: unexpected error; report this defect',
      handler: 'send_message',
      count: 1,
      err: { message: 'defect' },
    },
    { msg: 'callback failed: closing its connection; report this defect', callback: 'event', count: 1 },
    { msg: 'handler failed: unexpected error; report this defect', handler: 'resume', count: 1 },
  ])
  vi.advanceTimersByTime(throttleMs)
  expect(lines.slice(3)).toMatchObject([
    { handler: 'send_message', count: 99 },
    { callback: 'event', count: 99 },
  ])
})

test('OPERATING-6 a change of storage availability writes one log line and sets one metric', () => {
  const isUp: boolean[] = []
  const { report, lines } = createLoggedSink({ ...noMetrics, setStorageUp: (up) => isUp.push(up) })
  report({ type: 'storage-unavailable', error: new Error('disk full') })
  report({ type: 'storage-available' })
  expect(isUp).toStrictEqual([false, true])
  expect(lines).toMatchObject([
    {
      level: 50,
      msg: 'storage unavailable: rejecting messages; check the disk or Redis',
      err: { message: 'disk full' },
    },
    { level: 30, msg: 'storage available: accepting messages again' },
  ])
})

test('OPERATING-6 text of a client is truncated and logged without control characters', () => {
  const { report, lines } = createLoggedSink()
  report({ type: 'origin-rejected', origin: `https://\u001b[31m${'x'.repeat(1_000)}`, host: 'a\u2028b' })
  expect(JSON.stringify(lines)).not.toMatch(/\\u001b|\u2028/)
  expect(String(lines[0]?.['origin']).length).toBeLessThan(300)
})
