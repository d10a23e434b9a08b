import type { BurstResult } from '../harness/room.ts'
import type { PeerId } from '../peers/peer.ts'
import { isSustained } from '../scenarios/rates.ts'
import { outcomesOf, type Results } from './results.ts'
import { logSlope, type Summary, summarize } from './statistics.ts'

export interface PointSummary {
  /** Message rate or number of clients, depending on the scenario. */
  x: number
  cpuUsPerDelivery: Summary
  cpuMsPerBroadcast: Summary
  p50Ms: Summary
  p99Ms: Summary
  loadGeneratorBusyShare: Summary
  bytesPerDelivery: number
  /** Number of runs that were complete with p99 within the limit. */
  sustainedRuns: number
  completeRuns: number
  runs: number
}

function summarizePoints(points: BurstResult[], keyOf: (point: BurstResult) => number): PointSummary[] {
  const groups = Map.groupBy(points, keyOf)
  return [...groups]
    .toSorted(([a], [b]) => a - b)
    .map(([x, group]) => {
      const summary = (pick: (point: BurstResult) => number) => summarize(group.map(pick))
      return {
        x,
        cpuUsPerDelivery: summary((point) => point.cpuUsPerDelivery),
        cpuMsPerBroadcast: summary((point) => point.cpuMsPerBroadcast),
        p50Ms: summary((point) => point.p50Ms),
        p99Ms: summary((point) => point.p99Ms),
        loadGeneratorBusyShare: summary((point) => point.loadGeneratorBusyShare),
        bytesPerDelivery: summary((point) => point.bytesPerDelivery).median,
        sustainedRuns: group.filter(isSustained).length,
        completeRuns: group.filter(({ isComplete }) => isComplete).length,
        runs: group.length,
      }
    })
}

export function ratePoints(results: Results, peer: PeerId): PointSummary[] {
  const points = outcomesOf(results, 'rates', peer).flatMap((outcome) => outcome.points)
  return summarizePoints(points, ({ rate }) => rate)
}

/** Returns the points that more than half of the runs sustained. */
export function sustainedRatePoints(results: Results, peer: PeerId): PointSummary[] {
  return ratePoints(results, peer).filter(({ sustainedRuns, runs }) => sustainedRuns * 2 > runs)
}

export function sustained(results: Results, peer: PeerId): Summary | null {
  const outcomes = outcomesOf(results, 'rates', peer)
  return outcomes.length === 0 ? null : summarize(outcomes.map((outcome) => outcome.sustained))
}

/** Returns true if the fan-out scenario measured the full room. A quick run does not. */
export function reachedFullRoom(results: Results, peer: PeerId): boolean {
  return outcomesOf(results, 'fanout', peer).some(({ requestedConnections }) => requestedConnections >= fullRoom)
}

export function fanoutPoints(results: Results, peer: PeerId): PointSummary[] {
  const points = outcomesOf(results, 'fanout', peer).flatMap((outcome) => outcome.points)
  return summarizePoints(points, ({ clients }) => clients)
}

/**
 * Returns a summary of the log-log slopes of CPU per broadcast over room size, one per run. Ignores runs with fewer than
 * two points or with a point without a CPU time. Returns null if no run is left. A slope of 1 means proportional growth.
 */
export function costGrowth(results: Results, peer: PeerId): Summary | null {
  const slopes = outcomesOf(results, 'fanout', peer)
    .filter(({ points }) => points.length > 1 && points.every(({ cpuMs }) => Number.isFinite(cpuMs)))
    .map(({ points }) =>
      logSlope(points.map(({ clients, cpuMsPerBroadcast }) => ({ x: clients, y: cpuMsPerBroadcast }))),
    )
  return slopes.length === 0 ? null : summarize(slopes)
}

/** Minimum number of connections for memory and idle figures. In smaller rooms, fixed costs distort the figure per connection. */
export const fullRoom = 10_000

export function memoryPerConnection(results: Results, peer: PeerId): Summary | null {
  const outcomes = outcomesOf(results, 'fanout', peer).filter(
    ({ requestedConnections }) => requestedConnections >= fullRoom,
  )
  return outcomes.length === 0 ? null : summarize(outcomes.map(({ bytesPerConnection }) => bytesPerConnection))
}

/** Returns the CPU share of a full room without messages. */
export function idleShare(results: Results, peer: PeerId): Summary | null {
  const outcomes = outcomesOf(results, 'fanout', peer).filter(
    ({ requestedConnections }) => requestedConnections >= fullRoom,
  )
  return outcomes.length === 0 ? null : summarize(outcomes.map((outcome) => outcome.idleShare))
}

export interface JoinStormSummary {
  sockets: number
  presenceBytes: Summary
  naiveBytes: number
  chatP99Ms: Summary
  correctAfterMs: Summary
  durationMs: Summary
  rejectedAttempts: Summary
  /** True if all presence lists of all runs were correct in the end and no chat message was lost. */
  areAllCorrect: boolean
}

export function joinStormSummaries(results: Results, kind: 'pages' | 'plain'): JoinStormSummary[] {
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
      correctAfterMs: summarize(group.map(({ correctAfterMs }) => correctAfterMs)),
      durationMs: summarize(group.map(({ durationMs }) => durationMs)),
      rejectedAttempts: summarize(group.map(({ rejectedAttempts }) => rejectedAttempts)),
      areAllCorrect: group.every(
        ({ correct, presenceClients, isChatComplete }) => correct === presenceClients && isChatComplete,
      ),
    }))
}

export function presenceSlope(results: Results): number | null {
  const storms = joinStormSummaries(results, 'pages')
  if (storms.length < 2) return null
  return logSlope(storms.map(({ sockets, presenceBytes }) => ({ x: sockets, y: presenceBytes.median / sockets })))
}
