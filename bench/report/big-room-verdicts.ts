import type { PeerId } from '../peers/peer.ts'
import { fanoutPoints, idleShare, ratePoints } from './aggregate.ts'
import { outcomesOf, type Results } from './results.ts'
import { median } from './statistics.ts'
import { notMeasured, quotient, ratio, type Verdict } from './verdict.ts'

/** A figure that is held against a limit; null where this run has none. */
function atMost(what: string, value: number | null, limit: number, unit: string, digits = 1): Verdict {
  const known = value !== null && Number.isFinite(value)
  return {
    what,
    target: `≤ ${limit} ${unit}`,
    measured: known ? `${value.toFixed(digits)} ${unit}` : notMeasured,
    met: known ? value <= limit : null,
  }
}

/** Many people, few words: where real rooms live. */
export function bigRoomVerdicts(results: Results, bun: PeerId): Verdict[] {
  return [
    ...latencyVerdicts(results, bun),
    ...[5, 30].flatMap((rate) => lowRateVerdicts(results, bun, rate)),
    atMost('10,000 idle connections', (idleShare(results, 'app')?.median ?? Number.NaN) * 100, 3, '% of a core'),
    ...restartVerdicts(results),
    ...crowdVerdicts(results),
  ]
}

function latencyVerdicts(results: Results, bun: PeerId): Verdict[] {
  const inRoom = (clients: number) => (peer: PeerId) =>
    fanoutPoints(results, peer).find(({ at }) => at === clients)?.p99Ms.median
  const manyToMany = (peer: PeerId) => {
    const points = outcomesOf(results, 'many-to-many', peer).map(({ point }) => point.p99Ms)
    return points.length === 0 ? undefined : median(points)
  }
  const lines: [string, (peer: PeerId) => number | undefined, number][] = [
    ['at 10,000 clients', inRoom(10_000), 1.3],
    ['at 3,000 clients', inRoom(3_000), 1.3],
    ['many to many', manyToMany, 2],
  ]
  return lines.map(([what, p99Of, limit]) => {
    const [own, native] = [p99Of('app'), p99Of(bun) ?? p99Of('bun')]
    const detail =
      own === undefined || native === undefined ? '' : ` (${own.toFixed(0)} against ${native.toFixed(0)} ms)`
    const met = (value: number) => value <= limit
    return ratio(`p99 ${what} against Bun publish`, `≤ ${limit} ×`, quotient(own, native), met, detail)
  })
}

function lowRateVerdicts(results: Results, bun: PeerId, rate: number): Verdict[] {
  const cpuOf = (peer: PeerId) => ratePoints(results, peer).find(({ at }) => at === rate)?.cpuUsPerDelivery.median
  const [own, native, bare] = [cpuOf('app'), cpuOf(bun) ?? cpuOf('bun'), cpuOf('null')]
  const detail = own === undefined || native === undefined ? '' : ` (${own.toFixed(1)} against ${native.toFixed(1)} µs)`
  const above = own === undefined || bare === undefined ? null : own - bare
  return [
    ratio(
      `CPU per delivery against Bun publish at ${rate} msg/s, 1,000 clients`,
      '≤ 1.6 ×',
      quotient(own, native),
      (value) => value <= 1.6,
      detail,
    ),
    atMost(`CPU per delivery above the null server's at ${rate} msg/s`, above, 1.5, 'µs'),
  ]
}

function restartVerdicts(results: Results): Verdict[] {
  const ways = outcomesOf(results, 'restart', 'app').flatMap((outcome) => outcome.ways)
  const middle = (way: 'drain' | 'crash', pick: (result: (typeof ways)[number]) => number) => {
    const values = ways.filter((result) => result.way === way).map(pick)
    return values.length === 0 ? null : median(values) / 1_000
  }
  const back = (way: 'drain' | 'crash') => middle(way, ({ back95Ms }) => back95Ms)
  const start = middle('crash', ({ downMs }) => downMs)
  return [
    atMost('95 % of 1,000 back after SIGTERM', back('drain'), 3, 's', 2),
    atMost('95 % of 1,000 back after kill -9', back('crash'), 2.5, 's', 2),
    atMost("the server's own start", start, 0.8, 's', 2),
  ]
}

function crowdVerdicts(results: Results): Verdict[] {
  const outcomes = outcomesOf(results, 'crowd', 'app')
  if (outcomes.length === 0) return []
  const held = Math.min(...outcomes.map(({ heldConnections }) => heldConnections))
  const isWhole = outcomes.every(({ point }) => point.complete)
  const bytes = median(outcomes.map(({ bytesPerConnection }) => bytesPerConnection))
  return [
    {
      counted: true,
      what: 'Idle connections held while a message is said each second',
      target: '20,000',
      measured: `${held.toLocaleString('en')}${isWhole ? '' : ', messages missing'}`,
      met: held >= 20_000 && isWhole,
    },
    { ...atMost('Memory of each of them', bytes / 1_024, 9, 'KiB'), counted: true },
  ]
}
