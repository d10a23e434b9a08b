import type { Socket as EngineSocket } from 'engine.io'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { networksOf } from '../../limits/addresses.ts'
import {
  createJoinDeadline,
  shortJoinTimeoutMs,
  joinTimeoutMs,
  maxConnectionsWithFullTimeout,
} from './join-deadline.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const maxConnections = 256
const pool = maxConnectionsWithFullTimeout(maxConnections)
const visitor = networksOf('203.0.113.7')

function createConnections() {
  const deadline = createJoinDeadline(maxConnections)
  const open = new Set<EngineSocket>()
  const add = (networks: Parameters<typeof deadline.add>[1]) => {
    const end = () => void open.delete(connection)
    const connection = { transport: {}, close: end, onClose: end } as unknown as EngineSocket
    open.add(connection)
    deadline.add(connection, networks)
    return connection
  }
  return { deadline, open, add }
}

test('BOUNDS-5 beyond a small pool, connections that did not ask to join are closed after two seconds', () => {
  const { deadline, open, add } = createConnections()
  for (let i = 0; i < maxConnections; i++) add(visitor)
  const joined = add(visitor)
  deadline.remove(joined)
  const other = add(networksOf('198.51.100.1'))
  vi.advanceTimersByTime(shortJoinTimeoutMs)
  expect(open.size).toBe(pool + 2)
  vi.advanceTimersByTime(joinTimeoutMs)
  expect([...open]).toStrictEqual([joined])
  expect(open.has(other)).toBe(false)
})

test('BOUNDS-5 closed connections leave the pool', () => {
  const { deadline, open, add } = createConnections()
  for (let i = 0; i < pool; i++) deadline.remove(add(visitor))
  open.clear()
  add(visitor)
  vi.advanceTimersByTime(shortJoinTimeoutMs)
  expect(open.size).toBe(1)
})
