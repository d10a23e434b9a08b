import { expect, test } from 'vitest'
import type { RejectionError } from '../base/rejection-error.ts'
import { type AdmissionLimits, createAdmission, type AdmissionState } from './admission.ts'

const abuser = '203.0.113.7'
const visitor = '198.51.100.1'

function door(limits: Partial<AdmissionLimits> = {}) {
  let nowMs = 1_000_000
  const admission = createAdmission(
    { maxConnectionsPerIp: 256, messagesPerSecond: 20, messagesPerSecondPerIp: 100, ...limits },
    () => nowMs,
  )
  const admit = (address: string): AdmissionState | 'turned away' => {
    try {
      return admission.admit(address)
    } catch {
      return 'turned away'
    }
  }
  const enter = (address: string): AdmissionState => {
    const admitted = admission.admit(address)
    if (admitted.rejection === null) admission.addConnection(admitted)
    return admitted
  }
  return { admission, admit, enter, pass: (ms: number) => (nowMs += ms) }
}

const why = (admitted: AdmissionState | 'turned away') =>
  admitted === 'turned away' ? admitted : admitted.rejection?.message

test('SECURITY-3 an address holds as many connections as allowed, and a place that is left is free again', () => {
  const { admission, enter } = door({ maxConnectionsPerIp: 2 })
  const [first] = [enter(abuser), enter(abuser)]
  expect(enter(abuser).rejection).toMatchObject({ code: 'rate_limited', retryAfterMs: 10_000 })
  expect(why(enter(visitor))).toBeUndefined()
  if (first !== undefined) admission.removeConnection(first)
  expect(why(enter(abuser))).toBeUndefined()
})

test('SECURITY-3 an address may not connect too often, even if it leaves at once', () => {
  const { admission, enter, pass } = door({ maxConnectionsPerIp: 10 })
  for (let i = 0; i < 20; i++) admission.removeConnection(enter(abuser))
  expect(enter(abuser).rejection).toMatchObject({ message: expect.stringMatching(/too often/), retryAfterMs: 50 })
  expect(why(enter(visitor))).toBeUndefined()
  pass(50)
  expect(why(enter(abuser))).toBeUndefined()
})

test('SECURITY-3 whoever is refused again and again is no longer told why at the cost of a connection', () => {
  const { admit, enter } = door({ maxConnectionsPerIp: 1 })
  enter(abuser)
  const answers = Array.from({ length: 200 }, () => admit(abuser))
  expect(answers.slice(0, 100).map(why)).not.toContain('turned away')
  expect(answers.at(-1)).toBe('turned away')
})

test('SECURITY-3 loopback, and a maximum of 0, have no limit', () => {
  const { enter } = door({ maxConnectionsPerIp: 1 })
  for (let i = 0; i < 1_000; i++) expect(enter('127.0.0.1').rejection).toBeNull()
  const open = door({ maxConnectionsPerIp: 0 })
  for (let i = 0; i < 1_000; i++) expect(open.enter(abuser).rejection).toBeNull()
})

test('SECURITY-3 a connection that floods is found out, and its address has to wait; others do not', () => {
  const { admission, enter, admit, pass } = door()
  const admitted = enter(abuser)
  const accepted = Array.from({ length: 3_000 }, () => admission.countPacket(admitted)).filter(Boolean)
  expect(accepted).toHaveLength(2_000)
  expect((admit(abuser) as AdmissionState).rejection as RejectionError).toMatchObject({
    code: 'rate_limited',
    retryAfterMs: 10_000,
  })
  expect(why(enter(visitor))).toBeUndefined()
  pass(10_001)
  expect(why(enter(abuser))).toBeUndefined()
})

test('SECURITY-3 whoever floods again waits longer, up to ten minutes; ten quiet minutes are forgiven', () => {
  const { admission, enter, admit, pass } = door()
  const floodAndWait = () => {
    const admitted = enter(abuser)
    while (admission.countPacket(admitted));
    const waitMs = Number((admit(abuser) as AdmissionState).rejection?.retryAfterMs)
    pass(waitMs)
    return waitMs / 1_000
  }
  expect(Array.from({ length: 8 }, floodAndWait)).toStrictEqual([10, 20, 40, 80, 160, 320, 600, 600])
  pass(600_001)
  expect(floodAndWait()).toBe(10)
})

test('SECURITY-3 many connections of one address flood together', () => {
  const { admission, enter } = door()
  const admitted = Array.from({ length: 50 }, () => enter(abuser))
  const accepted = admitted.flatMap((admitted) => Array.from({ length: 1_000 }, () => admission.countPacket(admitted)))
  expect(accepted.filter(Boolean)).toHaveLength(2_000)
})

test('SECURITY-3 an ordinary pace is never a flood', () => {
  const { admission, enter, pass } = door()
  const admitted = enter(visitor)
  for (let i = 0; i < 5_000; i++) {
    expect(admission.countPacket(admitted, 300)).toBe(true)
    pass(5)
  }
})

test('LIMITS-4 where messages have no limit, packets of whatever kind still have one, loopback included', () => {
  const open = door({ messagesPerSecond: 0, messagesPerSecondPerIp: 0 })
  for (const address of [abuser, '127.0.0.1']) {
    const busy = open.enter(address)
    const accepted = Array.from({ length: 100_000 }, () => open.admission.countPacket(busy)).filter(Boolean)
    expect(accepted.length).toBeLessThanOrEqual(50_000)
    expect(accepted.length).toBeGreaterThanOrEqual(20_000)
  }
})

test('LIMITS-4 bytes count beside packets: the largest frames are a flood sooner', () => {
  const { admission, enter } = door()
  const admitted = enter(abuser)
  const accepted = Array.from({ length: 500 }, () => admission.countPacket(admitted, 64 * 1_024)).filter(Boolean)
  expect(accepted.length).toBeLessThan(40)
})

const subnets = Array.from({ length: 3_000 }, (_, i) => `2001:db8:1:${i.toString(16)}::1`)

test('LIMITS-1 a /48 holds four times the connections of an address, not 65,536 times', () => {
  const { admit, admission } = door()
  let held = 0
  for (const address of subnets) {
    const admitted = admit(address)
    if (admitted === 'turned away' || admitted.rejection !== null) continue
    admission.addConnection(admitted)
    held++
  }
  expect(held).toBe(1_024)
  expect(why(admit(visitor))).toBeUndefined()
})

test('LIMITS-1 the packets of a whole /48 are counted together', () => {
  const { admission, enter } = door()
  const admitted = Array.from({ length: 100 }, (_, i) => enter(`2001:db8:1:${(i * 600).toString(16)}::1`))
  const accepted = admitted.flatMap((one) => Array.from({ length: 1_000 }, () => admission.countPacket(one)))
  expect(accepted.filter(Boolean)).toHaveLength(8_000)
  expect(admission.countPacket(enter(visitor))).toBe(true)
})
