import { expect, test } from 'vitest'
import type { BurstResult } from '../harness/room.ts'
import type { OutcomeRecord } from '../scenarios/scenario.ts'
import { mustShow } from './must-show.ts'
import type { Results } from './results.ts'

const point = (over: Partial<BurstResult>): BurstResult => ({
  clients: 1_000,
  rate: 1_000,
  messages: 1,
  delivered: 1,
  expected: 1,
  complete: true,
  sameOrder: true,
  cpuMs: 1,
  wallMs: 1,
  cpuUsPerDelivery: 1,
  cpuMsPerBroadcast: 1,
  deliveriesPerSecond: 1,
  p50Ms: 5,
  p99Ms: 20,
  bytesPerDelivery: 1,
  worstSendDelayMs: 0,
  loadBusy: 0.5,
  foreignShare: 0,
  acknowledged: null,
  closedConnections: 0,
  ...over,
})

const rates = (peer: 'app' | 'bun', over: Partial<BurstResult>): OutcomeRecord => ({
  peer,
  run: 1,
  outcome: { scenario: 'rates', points: [point(over)], sustained: 1 },
})

const memory = (peer: 'app' | 'socketio', wantedConnections: number, bytesPerConnection: number): OutcomeRecord => {
  const held = { wantedConnections, heldConnections: wantedConnections, bytesPerConnection }
  return { peer, run: 1, outcome: { scenario: 'fanout', points: [], idleShare: 0.02, ...held } }
}

const machine = { cpu: '', cores: 2, memoryGiB: 1, system: '', kernel: '', node: '', congestionControl: '' }

function verdictOf(what: string, ...records: OutcomeRecord[]) {
  const results: Results = { takenOn: '', quick: false, runs: 1, machine, peers: [], records }
  return mustShow(results).find((verdict) => verdict.what.startsWith(what))?.met
}

const cpu = 'CPU per delivery against Bun publish at 1,000'
const idle = 'Memory per idle connection'

test('BENCH-6 a ratio of two sustained points is judged both ways', () => {
  const bun = rates('bun', {})
  expect(verdictOf(cpu, rates('app', { cpuUsPerDelivery: 1.05 }), bun)).toBe(true)
  expect(verdictOf(cpu, rates('app', { cpuUsPerDelivery: 1.2 }), bun)).toBe(false)
})

test('BENCH-6 a point that was not sustained proves nothing, however cheap it looks', () => {
  const bun = rates('bun', {})
  expect(verdictOf(cpu, rates('app', { cpuUsPerDelivery: 0.2, p99Ms: 900 }), bun)).toBeNull()
  expect(verdictOf(cpu, rates('app', { cpuUsPerDelivery: 0.2, complete: false }), bun)).toBeNull()
})

test('BENCH-6 nothing that takes time is judged on a machine that others used', () => {
  const busy = { cpuUsPerDelivery: 0.2, foreignShare: 0.4 }
  expect(verdictOf(cpu, rates('app', busy), rates('bun', { foreignShare: 0.4 }))).toBeNull()
})

test('BENCH-6 memory is judged in the full room only', () => {
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
    wantedConnections: 10_000,
    heldConnections: 10_000,
    bytesPerConnection: 1,
    idleShare,
  },
})

test('BENCH-6 a large room is judged by the wait of its last reader, and by what it costs while nobody speaks', () => {
  const last = 'p99 at 10,000 clients'
  expect(verdictOf(last, inRoom('app', 80), inRoom('bun', 70))).toBe(true)
  expect(verdictOf(last, inRoom('app', 120), inRoom('bun', 70))).toBe(false)
  expect(verdictOf(last, inRoom('app', 80))).toBeNull()
  expect(verdictOf('10,000 idle connections', inRoom('app', 80))).toBe(true)
  expect(verdictOf('10,000 idle connections', inRoom('app', 80, 0.04))).toBe(false)
})

const ofNode = (cpuUsPerDelivery: number, p99Ms: number): OutcomeRecord => ({
  peer: 'app',
  run: 1,
  outcome: { scenario: 'nodes', alone: point({}), node: point({ cpuUsPerDelivery }), across: point({ p99Ms }) },
})

test('BENCH-6 a node is judged beside the process alone, and by the way from another node', () => {
  expect(verdictOf('CPU per delivery of a node', ofNode(1.1, 20))).toBe(true)
  expect(verdictOf('CPU per delivery of a node', ofNode(1.2, 20))).toBe(false)
  expect(verdictOf('p99 from a sender on one node', ofNode(1, 120))).toBe(false)
})
