import type { PeerId } from '../peers/peer.ts'
import {
  costGrowth,
  fullRoom,
  memoryPerConnection,
  type PointSummary,
  ratePoints,
  reachedFullRoom,
  sustained,
} from './aggregate.ts'
import { bigRoomVerdicts } from './big-room-verdicts.ts'
import { isQuiet, outcomesOf, type Results } from './results.ts'
import { median } from './statistics.ts'
import { stormVerdicts } from './storm-verdicts.ts'
import { shortNumber } from './svg-page.ts'
import { notMeasured, notQuiet, quotient, ratio, type Verdict } from './verdict.ts'

/** Only what was sustained counts for us: a server that falls behind batches more, and looks cheaper the worse it does. */
function at(points: PointSummary[], rate: number): PointSummary | undefined {
  return points.find((point) => point.at === rate && point.sustainedRuns * 2 > point.runs)
}

/** The faster of Bun's two settings, so that the comparison is with Bun at its best. */
function bestBun(results: Results): PeerId {
  const [plain, tuned] = (['bun', 'bun-best'] as const).map((peer) => sustained(results, peer)?.median ?? 0)
  return (tuned ?? 0) > (plain ?? 0) ? 'bun-best' : 'bun'
}

function sustainedVerdicts(results: Results, bun: PeerId): Verdict[] {
  const own = sustained(results, 'app')?.median
  const stock = sustained(results, 'socketio')?.median
  const native = sustained(results, bun)?.median
  const detail = (other: number | undefined) =>
    own === undefined || other === undefined ? '' : ` (${shortNumber(own)} against ${shortNumber(other)} a second)`
  return [
    ratio(
      'Sustained deliveries against stock Socket.IO',
      '≥ 40 ×',
      quotient(own, stock),
      (value) => value >= 40,
      detail(stock),
    ),
    ratio(
      'Sustained deliveries against Bun publish',
      '≥ 1.2 ×',
      quotient(own, native),
      (value) => value >= 1.2,
      detail(native),
    ),
  ]
}

function cpuVerdicts(results: Results, bun: PeerId): Verdict[] {
  const own = ratePoints(results, 'app')
  const native = ratePoints(results, bun)
  const limits: [number, number][] = [
    [30, 1.3],
    [300, 1.1],
    [1_000, 1.1],
    [2_000, 1],
    [4_000, 1],
  ]
  return limits.map(([rate, limit]) => {
    const ours = at(own, rate)?.cpuUsPerDelivery.median
    // Beyond its limit it looks cheaper than it is, which only makes this harder for us.
    const theirs = native.find((point) => point.at === rate)?.cpuUsPerDelivery.median
    const detail =
      ours === undefined || theirs === undefined ? '' : ` (${ours.toPrecision(3)} against ${theirs.toPrecision(3)} µs)`
    return ratio(
      `CPU per delivery against Bun publish at ${rate.toLocaleString('en')} msg/s`,
      `≤ ${limit} ×`,
      quotient(ours, theirs),
      (value) => value <= limit,
      detail,
    )
  })
}

function latencyVerdict(results: Results): Verdict {
  const own = at(ratePoints(results, 'app'), 30)?.p50Ms.median
  const stock = at(ratePoints(results, 'socketio'), 30)?.p50Ms.median
  const measured =
    own === undefined || stock === undefined ? notMeasured : `${own.toFixed(1)} against ${stock.toFixed(1)} ms`
  const met = own === undefined || stock === undefined ? null : own <= stock + 2
  return { what: 'p50 at 30 msg/s against stock Socket.IO', target: '≤ its + 2 ms', measured, met }
}

function growthVerdict(results: Results): Verdict {
  const slope = reachedFullRoom(results, 'app') ? costGrowth(results, 'app') : null
  return {
    what: 'Cost growth: slope of CPU per broadcast, 100 to 10,000 clients',
    target: '≤ 1.05',
    measured: slope === null ? notMeasured : slope.median.toFixed(3),
    met: slope === null ? null : slope.median <= 1.05,
  }
}

function memoryVerdicts(results: Results): Verdict[] {
  // A quick run tries fewer: that is no failure to hold them.
  const held = outcomesOf(results, 'fanout', 'app')
    .filter(({ wantedConnections }) => wantedConnections >= fullRoom)
    .map(({ heldConnections }) => heldConnections)
  const own = memoryPerConnection(results, 'app')?.median
  const stock = memoryPerConnection(results, 'socketio')?.median
  const tuned = memoryPerConnection(results, 'socketio-best')?.median
  // Much of the difference is a flag of Node that anyone may set: what remains with it is said too.
  const beside = tuned === undefined ? '' : `; tuned, with our flags, ${(tuned / 1_024).toFixed(1)} KiB`
  const detail =
    own === undefined || stock === undefined
      ? ''
      : ` (${(own / 1_024).toFixed(1)} against ${(stock / 1_024).toFixed(1)} KiB${beside})`
  return [
    {
      counted: true,
      what: 'Idle connections held',
      target: '10,000',
      measured: held.length === 0 ? notMeasured : Math.min(...held).toLocaleString('en'),
      met: held.length === 0 ? null : Math.min(...held) >= 10_000,
    },
    {
      ...ratio(
        'Memory per idle connection against stock Socket.IO',
        '≤ 0.6 ×',
        quotient(own, stock),
        (value) => value <= 0.6,
        detail,
      ),
      counted: true,
    },
  ]
}

function nodeVerdicts(results: Results): Verdict[] {
  const outcomes = outcomesOf(results, 'nodes', 'app')
  const middle = (pick: (outcome: (typeof outcomes)[number]) => number) =>
    outcomes.length === 0 ? undefined : median(outcomes.map(pick))
  const [alone, node] = [
    middle((outcome) => outcome.alone.cpuUsPerDelivery),
    middle((outcome) => outcome.node.cpuUsPerDelivery),
  ]
  const detail = alone === undefined || node === undefined ? '' : ` (${node.toFixed(2)} against ${alone.toFixed(2)} µs)`
  const p99Ms = middle((outcome) => outcome.across.p99Ms)
  return [
    ratio(
      'CPU per delivery of a node against the process alone, at 300 msg/s and 1,000 clients',
      '≤ 1.15 ×',
      quotient(node, alone),
      (value) => value <= 1.15,
      detail,
    ),
    {
      what: 'p99 from a sender on one node to the readers on another',
      target: '≤ 100 ms',
      measured: p99Ms === undefined ? notMeasured : `${p99Ms.toFixed(1)} ms`,
      met: p99Ms === undefined ? null : p99Ms <= 100 && outcomes.every(({ across }) => across.complete),
    },
  ]
}

function browserVerdicts(results: Results): Verdict[] {
  const pages = outcomesOf(results, 'browser', 'app').map(({ page }) => page)
  const over = (pick: (page: (typeof pages)[number]) => number) => (pages.length === 0 ? null : median(pages.map(pick)))
  const lines: [string, string, number | null, (value: number) => boolean, (value: number) => string][] = [
    [
      'tasks over 50 ms after the first second',
      'none',
      over((page) => page.tasksOver50Ms),
      (value) => value === 0,
      (value) => `${value}`,
    ],
    [
      'typing to paint p95',
      '≤ 50 ms',
      over((page) => page.typingP95Ms),
      (value) => value <= 50,
      (value) => `${value.toFixed(1)} ms`,
    ],
    [
      'message nodes in the document',
      '≤ 2,300',
      over((page) => page.messageNodes),
      (value) => value <= 2_300,
      (value) => `${value}`,
    ],
  ]
  // A page that is quick because it dropped messages has shown nothing.
  const whole = pages.every(({ received, sent }) => received === sent)
  return lines.map(([what, target, value, meets, show]) => ({
    what: `Chromium at 1,000 msg/s: ${what}`,
    target,
    measured: value === null ? notMeasured : `${show(value)}${whole ? '' : ', messages missing'}`,
    met: value === null ? null : whole && meets(value),
  }))
}

export function mustShow(results: Results): Verdict[] {
  const bun = bestBun(results)
  const verdicts = [
    ...sustainedVerdicts(results, bun),
    ...cpuVerdicts(results, bun),
    latencyVerdict(results),
    growthVerdict(results),
    ...stormVerdicts(results),
    ...memoryVerdicts(results),
    ...bigRoomVerdicts(results, bun),
    ...nodeVerdicts(results),
    ...browserVerdicts(results),
  ]
  if (isQuiet(results)) return verdicts
  return verdicts.map((verdict) =>
    verdict.counted || verdict.met === null ? verdict : { ...verdict, measured: notQuiet, met: null },
  )
}
