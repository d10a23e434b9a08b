import { expect, onTestFinished, test, vi } from 'vitest'
import type { RejectionError } from '../base/rejection-error.ts'
import type { Report } from '../observe/events.ts'
import { createRaidGuard, type RaidLevel } from './raid-guard.ts'

/** Returns addresses in different networks. */
const addresses = (count: number, network = '10.0') => Array.from({ length: count }, (_, i) => `${network}.${i}.1`)

const levelsTo =
  (changes: RaidLevel[]): Report =>
  (event) => {
    if (event.type === 'raid-level-changed') changes.push(event.level)
  }

/**
 * Creates a raid guard with a fake clock. `seconds` makes every address send `perAddress` messages per second, and
 * returns the number of rejected messages.
 */
function quietRoom() {
  let nowMs = 1_000_000
  const changes: RaidLevel[] = []
  const guard = createRaidGuard(levelsTo(changes), () => nowMs)
  const send = (address: string, isAccount = false, messageBytes = 100): number => {
    return waitOf(() => guard.forSender(address, isAccount)(messageBytes)())
  }
  function seconds(count: number, from: string[], perAddress: number, isAccount = false, bytes = 100): number {
    let rejected = 0
    for (let second = 0; second < count; second++) {
      for (const address of from) {
        for (let i = 0; i < perAddress; i++) if (send(address, isAccount, bytes) > 0) rejected++
      }
      nowMs += 1_000
    }
    return rejected
  }
  /**
   * Opens an anonymous connection. Returns a function that sends a message and returns the time to wait, 0 for an
   * accepted message.
   */
  const connect = (address: string) => {
    const take = guard.forSender(address, false)
    return () => waitOf(() => take(100)())
  }
  /** Makes every address attempt `perAddress` messages per second. The messages are admitted but not stored. */
  function attempts(count: number, from: string[], perAddress: number): void {
    for (let second = 0; second < count; second++) {
      for (const address of from) for (let i = 0; i < perAddress; i++) guard.forSender(address, false)(100)
      nowMs += 1_000
    }
  }
  return { send, seconds, changes, connect, attempts }
}

function waitOf(send: () => void): number {
  try {
    send()
    return 0
  } catch (error) {
    return (error as RejectionError).retryAfterMs ?? -1
  }
}

function warmRoom(from = addresses(5, '10.9')) {
  const room = quietRoom()
  room.seconds(120, from, 1)
  return room
}

const raiders = addresses(40)

test('SECURITY-4 when many networks send far above the usual rate, anonymous senders are limited and accounts are not', () => {
  const room = warmRoom()
  expect(room.seconds(3, raiders, 5)).toBe(0)
  expect(room.send('10.0.1.1')).toBe(0)
  expect(room.send('10.0.1.1')).toBe(10_000)
  expect(room.send('10.9.1.1', true)).toBe(0)
  expect(room.send('10.9.1.1', true)).toBe(0)
  expect(room.changes).toStrictEqual(['anonymous'])
})

test('SECURITY-4 accounts are limited only when they alone keep the rate up', () => {
  const room = warmRoom()
  room.seconds(4, raiders, 5, true)
  expect(room.changes).toStrictEqual(['anonymous'])
  room.seconds(4, raiders, 5, true)
  expect(room.changes).toStrictEqual(['anonymous', 'all'])
  expect([room.send('10.0.1.1', true), room.send('10.0.1.1', true)]).toStrictEqual([0, 2_000])
})

test('SECURITY-4 raid mode ends by itself, and lasts longer when the raid resumes', () => {
  const room = warmRoom()
  room.seconds(4, raiders, 5)
  room.seconds(60, ['10.9.1.1'], 1, true)
  expect(room.changes).toStrictEqual(['anonymous', 'none'])
  expect([room.send('10.0.1.1'), room.send('10.0.1.1')]).toStrictEqual([0, 0])
  room.seconds(4, raiders, 5)
  room.seconds(60, ['10.9.1.1'], 1, true)
  expect(room.changes).toStrictEqual(['anonymous', 'none', 'anonymous'])
  room.seconds(60, ['10.9.1.1'], 1, true)
  expect(room.changes.at(-1)).toBe('none')
})

test('SECURITY-4 fewer than 100 messages per second, or few addresses, are not a raid', () => {
  const room = warmRoom()
  room.seconds(10, addresses(33), 3)
  room.seconds(10, addresses(19), 50)
  expect(room.changes).toStrictEqual([])
})

test('SECURITY-4 the usual rate of a busy room is not a raid', () => {
  const room = quietRoom()
  room.seconds(120, addresses(60), 3)
  room.seconds(20, addresses(60), 15)
  expect(room.changes).toStrictEqual([])
  room.seconds(4, addresses(60), 40)
  expect(room.changes).toStrictEqual(['anonymous'])
})

test('SECURITY-4 in a room that has just opened and has no usual rate, no raid is detected', () => {
  const room = quietRoom()
  room.seconds(30, raiders, 10)
  expect(room.changes).toStrictEqual([])
})

test('SECURITY-4 loopback clients are neither counted nor limited', () => {
  const room = warmRoom()
  room.seconds(
    10,
    Array.from({ length: 40 }, (_, i) => `127.0.0.${i + 1}`),
    20,
  )
  expect(room.changes).toStrictEqual([])
  room.seconds(4, raiders, 5)
  for (let i = 0; i < 10; i++) expect(room.send('127.0.0.1')).toBe(0)
})

test('SECURITY-4 rejected messages do not prolong raid mode', () => {
  const room = warmRoom()
  room.seconds(4, raiders, 5)
  expect(room.seconds(57, raiders, 5)).toBeGreaterThan(10_000)
  room.seconds(3, ['10.9.1.1'], 1, true)
  expect(room.changes).toStrictEqual(['anonymous', 'none'])
})

test('SECURITY-4 messages that are not stored are not a raid', () => {
  const room = warmRoom()
  room.attempts(10, raiders, 10)
  room.seconds(3, ['10.9.1.1'], 1)
  expect(room.changes).toStrictEqual([])
})

test('SECURITY-4 messages during a raid do not change the usual rate', () => {
  const room = warmRoom()
  room.seconds(4, raiders, 5)
  room.seconds(60, raiders, 2, true)
  expect(room.changes).toStrictEqual(['anonymous', 'none'])
  room.seconds(4, raiders, 5)
  expect(room.changes.at(-1)).toBe('anonymous')
})

test('SECURITY-4 a connection that has sent normally for ten minutes is not slowed, also behind the address of a raider', () => {
  const room = quietRoom()
  const regular = room.connect('10.0.1.1')
  for (let minute = 0; minute < 11; minute++) {
    expect(regular()).toBe(0)
    room.seconds(60, addresses(5, '10.9'), 1)
  }
  room.seconds(4, raiders, 5)
  expect(room.changes).toStrictEqual(['anonymous'])
  for (let second = 0; second < 30; second++) {
    expect(regular()).toBe(0)
    room.seconds(1, [], 0)
  }
  expect([room.send('10.0.1.1'), room.send('10.0.1.1')]).not.toStrictEqual([0, 0])
})

test('SECURITY-4 a trusted sender stays trusted after a reconnect, until it sends above the normal rate', () => {
  const room = quietRoom()
  room.seconds(620, [...addresses(5, '10.9'), '10.8.1.1'], 1)
  room.seconds(4, raiders, 5)
  for (let i = 0; i < 5; i++) expect(room.connect('10.8.1.1')()).toBe(0)
  const waits = Array.from({ length: 30 }, () => room.send('10.8.1.1'))
  expect(waits.at(-1)).toBeGreaterThan(0)
})

test('SECURITY-4 newcomers of an uninvolved address are slowed by connection, those of a raiding network by address', () => {
  const room = warmRoom()
  room.seconds(4, raiders, 5)
  const accepted = (address: string) =>
    Array.from({ length: 8 }, () => room.connect(address)()).filter((ms) => ms === 0)
  expect(accepted('10.7.1.1')).toHaveLength(8)
  expect(accepted('10.0.7.1').length).toBeLessThanOrEqual(1)
  const newcomer = room.connect('10.6.1.1')
  expect([newcomer(), newcomer()]).toStrictEqual([0, 10_000])
})

const subnets = Array.from({ length: 200 }, (_, i) => `2001:db8:1:${i.toString(16)}::1`)

test('SECURITY-4 a single /48 is not a raid, alone or together with quiet networks', () => {
  const room = warmRoom()
  room.seconds(10, subnets, 5)
  expect(room.changes).toStrictEqual([])
  room.seconds(10, [...subnets, ...addresses(40)], 1)
  expect(room.changes).toStrictEqual([])
})

test('SECURITY-4 in a raid, the addresses of a network share one limit', () => {
  const room = warmRoom()
  room.seconds(4, raiders, 5)
  expect(room.changes).toStrictEqual(['anonymous'])
  // An address that did not cause the raid has the limit of ten connections. Its /56 has twice that limit.
  expect(subnets.filter((address) => room.send(address) === 0)).toHaveLength(20)
})

test('SECURITY-4 few long messages count as a raid like many short ones', () => {
  const room = warmRoom()
  room.seconds(4, raiders, 1, false, 5_000)
  expect(room.changes).toStrictEqual(['anonymous'])
})

test('SECURITY-4 the end of a raid is reported even if no message follows', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const changes: RaidLevel[] = []
  const guard = createRaidGuard(levelsTo(changes))
  const senders = addresses(40).map((address) => guard.forSender(address, false))
  const second = (messages: number) => {
    for (const send of senders) for (let i = 0; i < messages; i++) send(100)()
    vi.advanceTimersByTime(1_000)
  }
  for (let i = 0; i < 120; i++) second(1)
  for (let i = 0; changes.length === 0 && i < 10; i++) {
    try {
      second(20)
    } catch {
      break
    }
  }
  expect(changes).toStrictEqual(['anonymous'])
  vi.advanceTimersByTime(59_999)
  expect(changes).toStrictEqual(['anonymous'])
  vi.advanceTimersByTime(1)
  expect(changes).toStrictEqual(['anonymous', 'none'])
})
