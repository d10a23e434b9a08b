import { expect, onTestFinished, test, vi } from 'vitest'
import type { RejectionError } from '../base/rejection-error.ts'
import { type AdmissionLimits, createAdmission, type AdmissionState } from './admission.ts'

const abuser = '203.0.113.7'
const visitor = '198.51.100.1'

function createTestAdmission(limits: Partial<AdmissionLimits> = {}) {
  let nowMs = 1_000_000
  const admission = createAdmission(
    { maxConnectionsPerIp: 256, messagesPerSecond: 20, messagesPerSecondPerIp: 100, ...limits },
    () => nowMs,
  )
  const admit = (address: string): AdmissionState | 'not admitted' => {
    try {
      return admission.admit(address)
    } catch {
      return 'not admitted'
    }
  }
  const connect = (address: string): AdmissionState => {
    const state = admission.admit(address)
    if (state.rejection === null) admission.addConnection(state)
    return state
  }
  return { admission, admit, connect, advance: (ms: number) => (nowMs += ms) }
}

const reason = (state: AdmissionState | 'not admitted') => (state === 'not admitted' ? state : state.rejection?.message)

test('SECURITY-3 an address can hold the maximum number of connections, and closing one makes room', () => {
  const { admission, connect } = createTestAdmission({ maxConnectionsPerIp: 2 })
  const [first] = [connect(abuser), connect(abuser)]
  expect(connect(abuser).rejection).toMatchObject({ code: 'rate_limited', retryAfterMs: 10_000 })
  expect(reason(connect(visitor))).toBeUndefined()
  if (first !== undefined) admission.removeConnection(first)
  expect(reason(connect(abuser))).toBeUndefined()
})

test('SECURITY-3 the connection rate of an address is limited, even if it disconnects at once', () => {
  const { admission, connect, advance } = createTestAdmission({ maxConnectionsPerIp: 10 })
  for (let i = 0; i < 20; i++) admission.removeConnection(connect(abuser))
  expect(connect(abuser).rejection).toMatchObject({ message: expect.stringMatching(/too often/), retryAfterMs: 50 })
  expect(reason(connect(visitor))).toBeUndefined()
  advance(50)
  expect(reason(connect(abuser))).toBeUndefined()
})

test('SECURITY-3 an address that is rejected very often no longer gets a connection to read the reason', () => {
  const { admit, connect } = createTestAdmission({ maxConnectionsPerIp: 1 })
  connect(abuser)
  const outcomes = Array.from({ length: 200 }, () => admit(abuser))
  expect(outcomes.slice(0, 100).map(reason)).not.toContain('not admitted')
  expect(outcomes.at(-1)).toBe('not admitted')
})

test('SECURITY-3 loopback and a maximum of 0 have no limit', () => {
  const { connect } = createTestAdmission({ maxConnectionsPerIp: 1 })
  for (let i = 0; i < 1_000; i++) expect(connect('127.0.0.1').rejection).toBeNull()
  const open = createTestAdmission({ maxConnectionsPerIp: 0 })
  for (let i = 0; i < 1_000; i++) expect(open.connect(abuser).rejection).toBeNull()
})

test('SECURITY-3 a connection that floods is detected, and its address must wait; other addresses need not', () => {
  const { admission, connect, admit, advance } = createTestAdmission()
  const state = connect(abuser)
  const accepted = Array.from({ length: 3_000 }, () => admission.countPacket(state)).filter(Boolean)
  expect(accepted).toHaveLength(2_000)
  expect((admit(abuser) as AdmissionState).rejection as RejectionError).toMatchObject({
    code: 'rate_limited',
    retryAfterMs: 10_000,
  })
  expect(reason(connect(visitor))).toBeUndefined()
  advance(10_001)
  expect(reason(connect(abuser))).toBeUndefined()
})

test('SECURITY-3 the penalty doubles with each flood up to ten minutes, and resets after ten minutes without one', () => {
  const { admission, connect, admit, advance } = createTestAdmission()
  const floodAndWait = () => {
    const state = connect(abuser)
    while (admission.countPacket(state));
    const waitMs = Number((admit(abuser) as AdmissionState).rejection?.retryAfterMs)
    advance(waitMs)
    return waitMs / 1_000
  }
  expect(Array.from({ length: 8 }, floodAndWait)).toStrictEqual([10, 20, 40, 80, 160, 320, 600, 600])
  advance(600_001)
  expect(floodAndWait()).toBe(10)
})

test('SECURITY-3 the packets of all connections of an address are counted together', () => {
  const { admission, connect } = createTestAdmission()
  const state = Array.from({ length: 50 }, () => connect(abuser))
  const accepted = state.flatMap((state) => Array.from({ length: 1_000 }, () => admission.countPacket(state)))
  expect(accepted.filter(Boolean)).toHaveLength(2_000)
})

test('SECURITY-3 a typical packet rate is never a flood', () => {
  const { admission, connect, advance } = createTestAdmission()
  const state = connect(visitor)
  for (let i = 0; i < 5_000; i++) {
    expect(admission.countPacket(state, 300)).toBe(true)
    advance(5)
  }
})

test('LIMITS-4 packets of any kind have a limit even if messages have none, also on loopback', () => {
  const open = createTestAdmission({ messagesPerSecond: 0, messagesPerSecondPerIp: 0 })
  for (const address of [abuser, '127.0.0.1']) {
    const busy = open.connect(address)
    const accepted = Array.from({ length: 100_000 }, () => open.admission.countPacket(busy)).filter(Boolean)
    expect(accepted.length).toBeLessThanOrEqual(50_000)
    expect(accepted.length).toBeGreaterThanOrEqual(20_000)
  }
})

test('LIMITS-4 bytes have a limit too: the largest frames are a flood sooner', () => {
  const { admission, connect } = createTestAdmission()
  const state = connect(abuser)
  const accepted = Array.from({ length: 500 }, () => admission.countPacket(state, 64 * 1_024)).filter(Boolean)
  expect(accepted.length).toBeLessThan(40)
})

const subnets = Array.from({ length: 3_000 }, (_, i) => `2001:db8:1:${i.toString(16)}::1`)

test('LIMITS-1 a /48 can hold four times the connections of an address, not 65,536 times', () => {
  const { admit, admission } = createTestAdmission()
  let held = 0
  for (const address of subnets) {
    const state = admit(address)
    if (state === 'not admitted' || state.rejection !== null) continue
    admission.addConnection(state)
    held++
  }
  expect(held).toBe(1_024)
  expect(reason(admit(visitor))).toBeUndefined()
})

test('LIMITS-1 the packets of a /48 are counted together', () => {
  const { admission, connect } = createTestAdmission()
  const state = Array.from({ length: 100 }, (_, i) => connect(`2001:db8:1:${(i * 600).toString(16)}::1`))
  const accepted = state.flatMap((one) => Array.from({ length: 1_000 }, () => admission.countPacket(one)))
  expect(accepted.filter(Boolean)).toHaveLength(8_000)
  expect(admission.countPacket(connect(visitor))).toBe(true)
})

test.each([
  ['an address', () => abuser, 400],
  ['a /48', (i: number) => `2001:db8:1:${(i * 600).toString(16)}::1`, 1_600],
])(
  'LIMITS-1 after its burst, %s has a lower rate of packets than all its connections together',
  (_, addressOf, rate) => {
    const { admission, connect, advance } = createTestAdmission()
    const connections = Array.from({ length: 100 }, (_, i) => connect(addressOf(i)))
    const countRound = () => connections.filter((one) => admission.countPacket(one)).length
    while (countRound() > 0);
    let accepted = 0
    for (let elapsedMs = 0; elapsedMs < 10_000; elapsedMs += 50) {
      advance(50)
      accepted += countRound()
    }
    expect(accepted).toBe(rate * 10)
  },
)

test.each([
  ['at least the packet limit of one connection', 20, 1],
  ['its own packet limit if connections have none', 0, 100],
])('LIMITS-4 an address has %s', (_, messagesPerSecond, messagesPerSecondPerIp) => {
  const { admission, connect } = createTestAdmission({ messagesPerSecond, messagesPerSecondPerIp })
  const state = connect(abuser)
  expect(Array.from({ length: 3_000 }, () => admission.countPacket(state)).filter(Boolean)).toHaveLength(2_000)
})

test('SECURITY-3 a clock that is set back does not lengthen the penalty of a flood', () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const limits = { maxConnectionsPerIp: 256, messagesPerSecond: 20, messagesPerSecondPerIp: 100 }
  const admission = createAdmission(limits)
  const flooding = admission.admit(abuser)
  while (admission.countPacket(flooding));
  vi.setSystemTime(Date.now() - 6 * 3_600_000)
  expect(admission.admit(abuser).rejection).toMatchObject({ code: 'rate_limited', retryAfterMs: 10_000 })
  vi.advanceTimersByTime(10_000)
  expect(admission.admit(abuser).rejection).toBeNull()
})
