import type { PeerId } from '../peers/peer.ts'
import { fanoutPoints, idleShare, ratePoints } from './aggregate.ts'
import { outcomesOf, type Results } from './results.ts'
import { median } from './statistics.ts'
import { notMeasured, quotient, ratioVerdict, type Verdict } from './verdict.ts'

/** Returns the verdict on a value with an upper limit. A value that is null or not finite counts as not measured. */
function limitVerdict(metric: string, value: number | null, limit: number, unit: string, digits = 1): Verdict {
  const isMeasured = value !== null && Number.isFinite(value)
  return {
    metric,
    target: `≤ ${limit} ${unit}`,
    measured: isMeasured ? `${value.toFixed(digits)} ${unit}` : notMeasured,
    isMet: isMeasured ? value <= limit : null,
  }
}

/**
 * Returns the verdicts on large rooms: latency, CPU at low rates and without messages, restarts, and many connections.
 */
export function largeRoomVerdicts(results: Results, bun: PeerId): Verdict[] {
  return [
    ...latencyVerdicts(results, bun),
    ...[5, 30].flatMap((rate) => lowRateVerdicts(results, bun, rate)),
    limitVerdict(
      '10,000 idle connections: CPU',
      (idleShare(results, 'app')?.median ?? Number.NaN) * 100,
      3,
      '% of a core',
    ),
    ...restartVerdicts(results),
    ...manyConnectionsVerdicts(results),
  ]
}

function latencyVerdicts(results: Results, bun: PeerId): Verdict[] {
  const inRoom = (clients: number) => (peer: PeerId) =>
    fanoutPoints(results, peer).find(({ x }) => x === clients)?.p99Ms.median
  const manyToMany = (peer: PeerId) => {
    const points = outcomesOf(results, 'many-to-many', peer).map(({ point }) => point.p99Ms)
    return points.length === 0 ? undefined : median(points)
  }
  const targets: [string, (peer: PeerId) => number | undefined, number][] = [
    ['at 10,000 clients', inRoom(10_000), 1.3],
    ['at 3,000 clients', inRoom(3_000), 1.3],
    ['many to many', manyToMany, 2],
  ]
  return targets.map(([load, p99Of, limit]) => {
    const [own, native] = [p99Of('app'), p99Of(bun) ?? p99Of('bun')]
    const detail =
      own === undefined || native === undefined ? '' : ` (${own.toFixed(0)} against ${native.toFixed(0)} ms)`
    const meets = (value: number) => value <= limit
    return ratioVerdict(`p99 ${load} against Bun publish`, `≤ ${limit} ×`, quotient(own, native), meets, detail)
  })
}

function lowRateVerdicts(results: Results, bun: PeerId, rate: number): Verdict[] {
  const cpuOf = (peer: PeerId) => ratePoints(results, peer).find(({ x }) => x === rate)?.cpuUsPerDelivery.median
  const [own, native, nullServer] = [cpuOf('app'), cpuOf(bun) ?? cpuOf('bun'), cpuOf('null')]
  const detail = own === undefined || native === undefined ? '' : ` (${own.toFixed(1)} against ${native.toFixed(1)} µs)`
  const above = own === undefined || nullServer === undefined ? null : own - nullServer
  return [
    ratioVerdict(
      `CPU per delivery against Bun publish at ${rate} msg/s, 1,000 clients`,
      '≤ 1.6 ×',
      quotient(own, native),
      (value) => value <= 1.6,
      detail,
    ),
    limitVerdict(`CPU per delivery minus that of the null server at ${rate} msg/s`, above, 1.5, 'µs'),
  ]
}

function restartVerdicts(results: Results): Verdict[] {
  const restarts = outcomesOf(results, 'restart', 'app').flatMap((outcome) => outcome.restarts)
  const medianOf = (stop: 'drain' | 'crash', pick: (result: (typeof restarts)[number]) => number) => {
    const values = restarts.filter((result) => result.stop === stop).map(pick)
    return values.length === 0 ? null : median(values) / 1_000
  }
  const reconnected = (stop: 'drain' | 'crash') => medianOf(stop, ({ reconnected95Ms }) => reconnected95Ms)
  const start = medianOf('crash', ({ downMs }) => downMs)
  return [
    limitVerdict('95 % of 1,000 clients reconnected after SIGTERM', reconnected('drain'), 3, 's', 2),
    limitVerdict('95 % of 1,000 clients reconnected after SIGKILL', reconnected('crash'), 2.5, 's', 2),
    limitVerdict('Start of the server', start, 0.8, 's', 2),
  ]
}

function manyConnectionsVerdicts(results: Results): Verdict[] {
  const outcomes = outcomesOf(results, 'many-connections', 'app')
  if (outcomes.length === 0) return []
  const openCount = Math.min(...outcomes.map(({ openConnections }) => openConnections))
  const isComplete = outcomes.every(({ point }) => point.isComplete)
  const bytes = median(outcomes.map(({ bytesPerConnection }) => bytesPerConnection))
  return [
    {
      isLoadIndependent: true,
      metric: 'Connections in a room with one message a second',
      target: '20,000',
      measured: `${openCount.toLocaleString('en')}${isComplete ? '' : ', messages missing'}`,
      isMet: openCount >= 20_000 && isComplete,
    },
    { ...limitVerdict('Memory per connection in that room', bytes / 1_024, 9, 'KiB'), isLoadIndependent: true },
  ]
}
