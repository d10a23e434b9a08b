import { expect, test } from 'vitest'
import type { BurstResult } from '../harness/room.ts'
import type { OutcomeRecord } from '../scenarios/scenario.ts'
import { evaluateTargets } from './targets.ts'
import type { Results } from './results.ts'

const point = (over: Partial<BurstResult>): BurstResult => ({
  clients: 1_000,
  rate: 1_000,
  messages: 1,
  delivered: 1,
  expected: 1,
  isComplete: true,
  isSameOrder: true,
  cpuMs: 1,
  wallMs: 1,
  cpuUsPerDelivery: 1,
  cpuMsPerBroadcast: 1,
  deliveriesPerSecond: 1,
  p50Ms: 5,
  p99Ms: 20,
  bytesPerDelivery: 1,
  worstSendDelayMs: 0,
  loadGeneratorBusyShare: 0.5,
  otherProcessesShare: 0,
  acknowledged: null,
  closedConnections: 0,
  ...over,
})

const rates = (peer: 'app' | 'bun', over: Partial<BurstResult>): OutcomeRecord => ({
  peer,
  run: 1,
  outcome: { scenario: 'rates', points: [point(over)], sustained: 1 },
})

const memory = (peer: 'app' | 'socketio', requestedConnections: number, bytesPerConnection: number): OutcomeRecord => {
  const connections = { requestedConnections, openConnections: requestedConnections, bytesPerConnection }
  return { peer, run: 1, outcome: { scenario: 'fanout', points: [], idleShare: 0.02, ...connections } }
}

const machine = {
  cpu: '',
  architecture: '',
  cores: 2,
  memoryGiB: 1,
  system: '',
  kernel: '',
  node: '',
  congestionControl: '',
}

function verdictOf(what: string, ...records: OutcomeRecord[]) {
  const results: Results = { measuredOn: '', quick: false, runs: 1, machine, peers: [], records }
  return evaluateTargets(results).find((verdict) => verdict.metric.startsWith(what))?.isMet
}

const cpu = 'CPU per delivery against Bun publish at 1,000'
const idle = 'Memory per idle connection'

test('BENCH-6 a ratio of two sustained points is met or not met', () => {
  const bun = rates('bun', {})
  expect(verdictOf(cpu, rates('app', { cpuUsPerDelivery: 1.05 }), bun)).toBe(true)
  expect(verdictOf(cpu, rates('app', { cpuUsPerDelivery: 1.2 }), bun)).toBe(false)
})

test('BENCH-6 a point that was not sustained gets no verdict, even if its CPU is low', () => {
  const bun = rates('bun', {})
  expect(verdictOf(cpu, rates('app', { cpuUsPerDelivery: 0.2, p99Ms: 900 }), bun)).toBeNull()
  expect(verdictOf(cpu, rates('app', { cpuUsPerDelivery: 0.2, isComplete: false }), bun)).toBeNull()
})

test('BENCH-6 CPU and time get no verdict if other processes used the machine', () => {
  const busy = { cpuUsPerDelivery: 0.2, otherProcessesShare: 0.4 }
  expect(verdictOf(cpu, rates('app', busy), rates('bun', { otherProcessesShare: 0.4 }))).toBeNull()
})

test('BENCH-6 memory gets a verdict only at 10,000 connections', () => {
  expect(verdictOf(idle, memory('app', 10_000, 12_000), memory('socketio', 10_000, 24_000))).toBe(true)
  expect(verdictOf(idle, memory('app', 10_000, 18_000), memory('socketio', 10_000, 24_000))).toBe(false)
  expect(verdictOf(idle, memory('app', 3_000, 12_000), memory('socketio', 3_000, 24_000))).toBeNull()
})

const inRoom = (peer: 'app' | 'bun', p99Ms: number, idleShare = 0.02): OutcomeRecord => ({
  peer,
  run: 1,
  outcome: {
    scenario: 'fanout',
    points: [point({ clients: 10_000, rate: 5, p99Ms })],
    requestedConnections: 10_000,
    openConnections: 10_000,
    bytesPerConnection: 1,
    idleShare,
  },
})

test('BENCH-6 a large room gets verdicts on its p99 latency and its idle CPU', () => {
  const p99 = 'p99 at 10,000 clients'
  expect(verdictOf(p99, inRoom('app', 80), inRoom('bun', 70))).toBe(true)
  expect(verdictOf(p99, inRoom('app', 120), inRoom('bun', 70))).toBe(false)
  expect(verdictOf(p99, inRoom('app', 80))).toBeNull()
  expect(verdictOf('10,000 idle connections', inRoom('app', 80))).toBe(true)
  expect(verdictOf('10,000 idle connections', inRoom('app', 80, 0.04))).toBe(false)
})

const ofNode = (cpuUsPerDelivery: number, p99Ms: number): OutcomeRecord => ({
  peer: 'app',
  run: 1,
  outcome: { scenario: 'nodes', alone: point({}), node: point({ cpuUsPerDelivery }), crossNode: point({ p99Ms }) },
})

test('BENCH-6 a cluster node gets verdicts on its CPU against a single process and on cross-node latency', () => {
  expect(verdictOf('CPU per delivery of a node', ofNode(1.1, 20))).toBe(true)
  expect(verdictOf('CPU per delivery of a node', ofNode(1.2, 20))).toBe(false)
  expect(verdictOf('p99 from a sender on one node', ofNode(1, 120))).toBe(false)
})
