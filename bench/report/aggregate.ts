import type { BurstResult } from '../harness/room.ts'
import type { PeerId } from '../peers/peer.ts'
import { isSustained } from '../scenarios/rates.ts'
import { outcomesOf, type Results } from './results.ts'
import { logSlope, type Summary, summarize } from './statistics.ts'

export interface PointSummary {
  at: number
  cpuUsPerDelivery: Summary
  cpuMsPerBroadcast: Summary
  p50Ms: Summary
  p99Ms: Summary
  loadBusy: Summary
  bytesPerDelivery: number
  /** In how many of the runs it was sustained: complete and p99 within the limit. */
  sustainedRuns: number
  completeRuns: number
  runs: number
}

function summarizePoints(points: BurstResult[], keyOf: (point: BurstResult) => number): PointSummary[] {
  const groups = Map.groupBy(points, keyOf)
  return [...groups]
    .toSorted(([a], [b]) => a - b)
    .map(([at, group]) => {
      const summary = (pick: (point: BurstResult) => number) => summarize(group.map(pick))
      return {
        at,
        cpuUsPerDelivery: summary((point) => point.cpuUsPerDelivery),
        cpuMsPerBroadcast: summary((point) => point.cpuMsPerBroadcast),
        p50Ms: summary((point) => point.p50Ms),
        p99Ms: summary((point) => point.p99Ms),
        loadBusy: summary((point) => point.loadBusy),
        bytesPerDelivery: summary((point) => point.bytesPerDelivery).median,
        sustainedRuns: group.filter(isSustained).length,
        completeRuns: group.filter(({ complete }) => complete).length,
        runs: group.length,
      }
    })
}

export function ratePoints(results: Results, peer: PeerId): PointSummary[] {
  const points = outcomesOf(results, 'rates', peer).flatMap((outcome) => outcome.points)
  return summarizePoints(points, ({ rate }) => rate)
}

/** The points that more than half of the runs sustained: what a peer can be held to. */
export function sustainedRatePoints(results: Results, peer: PeerId): PointSummary[] {
  return ratePoints(results, peer).filter(({ sustainedRuns, runs }) => sustainedRuns * 2 > runs)
}

export function sustained(results: Results, peer: PeerId): Summary | null {
  const outcomes = outcomesOf(results, 'rates', peer)
  return outcomes.length === 0 ? null : summarize(outcomes.map((outcome) => outcome.sustained))
}

/** Whether the fan-out went up to the full room; a quick run stops earlier. */
export function reachedFullRoom(results: Results, peer: PeerId): boolean {
  return outcomesOf(results, 'fanout', peer).some(({ wantedConnections }) => wantedConnections >= fullRoom)
}

export function fanoutPoints(results: Results, peer: PeerId): PointSummary[] {
  const points = outcomesOf(results, 'fanout', peer).flatMap((outcome) => outcome.points)
  return summarizePoints(points, ({ clients }) => clients)
}

/** How CPU per broadcast grows with the room: 1 is in proportion to it. */
export function costGrowth(results: Results, peer: PeerId): Summary | null {
  const slopes = outcomesOf(results, 'fanout', peer)
    .filter(({ points }) => points.length > 1 && points.every(({ cpuMs }) => Number.isFinite(cpuMs)))
    .map(({ points }) =>
      logSlope(points.map(({ clients, cpuMsPerBroadcast }) => ({ x: clients, y: cpuMsPerBroadcast }))),
    )
  return slopes.length === 0 ? null : summarize(slopes)
}

/** Only rooms of this size count: what a server takes once weighs more per connection in a smaller one. */
export const fullRoom = 10_000

export function memoryPerConnection(results: Results, peer: PeerId): Summary | null {
  const outcomes = outcomesOf(results, 'fanout', peer).filter(({ wantedConnections }) => wantedConnections >= fullRoom)
  return outcomes.length === 0 ? null : summarize(outcomes.map(({ bytesPerConnection }) => bytesPerConnection))
}

/** What a full room costs while nobody says anything. */
export function idleShare(results: Results, peer: PeerId): Summary | null {
  const outcomes = outcomesOf(results, 'fanout', peer).filter(({ wantedConnections }) => wantedConnections >= fullRoom)
  return outcomes.length === 0 ? null : summarize(outcomes.map((outcome) => outcome.idleShare))
}

export interface StormSummary {
  sockets: number
  presenceBytes: Summary
  naiveBytes: number
  chatP99Ms: Summary
  rightAfterMs: Summary
  tookMs: Summary
  turnedAway: Summary
  /** Every list of every run was right in the end, and the chat complete. */
  allRight: boolean
}

export function stormSummaries(results: Results, kind: 'pages' | 'plain'): StormSummary[] {
  const storms = outcomesOf(results, 'join-storm', 'app').flatMap((outcome) => outcome.storms)
  const groups = Map.groupBy(
    storms.filter((storm) => storm.kind === kind),
    ({ sockets }) => sockets,
  )
  return [...groups]
    .toSorted(([a], [b]) => a - b)
    .map(([sockets, group]) => ({
      sockets,
      presenceBytes: summarize(group.map(({ presenceBytes }) => presenceBytes)),
      naiveBytes: group[0]!.naiveBytes,
      chatP99Ms: summarize(group.map(({ chatP99Ms }) => chatP99Ms)),
      rightAfterMs: summarize(group.map(({ rightAfterMs }) => rightAfterMs)),
      tookMs: summarize(group.map(({ tookMs }) => tookMs)),
      turnedAway: summarize(group.map(({ turnedAway }) => turnedAway)),
      allRight: group.every(({ right, listeners, chatComplete }) => right === listeners && chatComplete),
    }))
}

export function presenceSlope(results: Results): number | null {
  const storms = stormSummaries(results, 'pages')
  if (storms.length < 2) return null
  return logSlope(storms.map(({ sockets, presenceBytes }) => ({ x: sockets, y: presenceBytes.median / sockets })))
}
