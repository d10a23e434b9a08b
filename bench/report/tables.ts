import type { BurstResult } from '../harness/room.ts'
import { bucketMs } from '../driver/tally.ts'
import {
  fanoutPoints,
  costGrowth,
  idleShare,
  memoryPerConnection,
  ratePoints,
  stormSummaries,
  sustained,
} from './aggregate.ts'
import { rungs } from '../scenarios/rates.ts'
import { foreignLoad, isQuiet, outcomesOf, peersIn, type Results } from './results.ts'
import { median, type Summary, summarize } from './statistics.ts'
import { shortNumber } from './svg-page.ts'

export interface Table {
  title: string
  note: string
  head: string[]
  rows: string[][]
}

function number(value: number): string {
  if (!Number.isFinite(value)) return '–'
  return value >= 100 ? Math.round(value).toLocaleString('en') : String(+value.toPrecision(value < 1 ? 2 : 3))
}

/** The median, and how far the runs lay apart. */
function withSpread({ median: middle, min, max, runs }: Summary, unit = ''): string {
  return runs === 1 ? `${number(middle)}${unit}` : `${number(middle)}${unit} (${number(min)}–${number(max)})`
}

export function rateTable(results: Results): Table {
  const peers = peersIn(results, 'rates')
  const columns = peers.map(({ id }) => ratePoints(results, id))
  const everyRate = [...new Set(columns.flatMap((points) => points.map(({ at }) => at)))].toSorted((a, b) => a - b)
  // Rates that were tried only to find one peer's limit would leave all other columns empty.
  const shared = everyRate.filter((rate) => rungs.includes(rate))
  return {
    title: 'CPU per delivery by rate, 1,000 clients',
    note: 'µs of server CPU per delivery (smallest–largest run), then p50 / p99 in ms and bytes on the wire per delivery. † not sustained: p99 over 100 ms or deliveries missing in half of the runs or more.',
    head: ['msg/s', ...peers.map(({ label }) => label)],
    rows: shared.map((rate) => [
      rate.toLocaleString('en'),
      ...columns.map((points) => {
        const point = points.find(({ at }) => at === rate)
        if (point === undefined) return '–'
        const mark = point.sustainedRuns * 2 > point.runs ? '' : ' †'
        return `${withSpread(point.cpuUsPerDelivery)}; ${number(point.p50Ms.median)} / ${number(point.p99Ms.median)}; ${number(point.bytesPerDelivery)} B${mark}`
      }),
    ]),
  }
}

export function sustainedTable(results: Results): Table {
  const stock = sustained(results, 'socketio')?.median
  return {
    title: 'Sustained deliveries a second, 1,000 clients',
    note: 'The highest rate at which every message reached everyone once and p99 stayed within 100 ms, times the clients.',
    head: ['server', 'deliveries/s', 'against stock Socket.IO', 'load busy at its limit'],
    rows: peersIn(results, 'rates').map(({ id, label }) => {
      const summary = sustained(results, id)
      const busy = ratePoints(results, id).findLast(({ sustainedRuns, runs }) => sustainedRuns * 2 > runs)?.loadBusy
      return [
        label,
        summary === null ? '–' : withSpread(summary),
        summary === null || !stock ? '–' : `${number(summary.median / stock)} ×`,
        busy === undefined ? '–' : `${Math.round(busy.median * 100)} %`,
      ]
    }),
  }
}

export function fanoutTable(results: Results): Table {
  const peers = peersIn(results, 'fanout')
  const sizes = [...new Set(peers.flatMap(({ id }) => fanoutPoints(results, id).map(({ at }) => at)))].toSorted(
    (a, b) => a - b,
  )
  const show = (summary: Summary | null, scale = 1) =>
    summary === null
      ? '–'
      : withSpread({ ...summary, median: summary.median / scale, min: summary.min / scale, max: summary.max / scale })
  return {
    title: 'Fan-out: CPU per delivery by room size, 5 msg/s',
    note: 'µs of server CPU per delivery, less what the idle server used; p99 in ms behind it. Slope: log-log growth of CPU per broadcast. Memory: resident bytes per idle connection at 10,000 connections, after a collection; idle: what they cost while nobody says anything, over a whole round of heartbeats.',
    head: [
      'server',
      ...sizes.map((size) => `${size.toLocaleString('en')} clients`),
      'slope',
      'KiB per idle connection',
      'idle, % of a core',
    ],
    rows: peers.map(({ id, label }) => {
      const points = fanoutPoints(results, id)
      return [
        label,
        ...sizes.map((size) => {
          const point = points.find(({ at }) => at === size)
          if (point === undefined) return '–'
          const mark = point.completeRuns === point.runs ? '' : ' †'
          return `${withSpread(point.cpuUsPerDelivery)}; ${number(point.p99Ms.median)}${mark}`
        }),
        show(costGrowth(results, id)),
        show(memoryPerConnection(results, id), 1_024),
        show(idleShare(results, id), 0.01),
      ]
    }),
  }
}

function crowdTable(results: Results): Table {
  return {
    title: 'A crowd: nearly as many connections as the machine has descriptors, a message a second',
    note: 'For twenty seconds; every message must reach everyone.',
    head: ['server', 'held', 'KiB per connection', 'p50, ms', 'p99, ms', 'complete'],
    rows: peersIn(results, 'crowd').map(({ id, label }) => {
      const outcomes = outcomesOf(results, 'crowd', id)
      return [
        label,
        withSpread(summarize(outcomes.map(({ heldConnections }) => heldConnections))),
        withSpread(summarize(outcomes.map(({ bytesPerConnection }) => bytesPerConnection / 1_024))),
        withSpread(summarize(outcomes.map(({ point }) => point.p50Ms))),
        withSpread(summarize(outcomes.map(({ point }) => point.p99Ms))),
        outcomes.every(({ point }) => point.complete) ? 'yes' : 'no',
      ]
    }),
  }
}

export function manyToManyTable(results: Results): Table {
  return {
    title: 'Many to many: 300 clients that all send once a second',
    note: '90,000 deliveries a second, from 300 senders.',
    head: ['server', 'CPU per delivery, µs', 'p50, ms', 'p99, ms', 'complete'],
    rows: peersIn(results, 'many-to-many').map(({ id, label }) => {
      const points = outcomesOf(results, 'many-to-many', id).map(({ point }) => point)
      return [
        label,
        withSpread(summarize(points.map(({ cpuUsPerDelivery }) => cpuUsPerDelivery))),
        withSpread(summarize(points.map(({ p50Ms }) => p50Ms))),
        withSpread(summarize(points.map(({ p99Ms }) => p99Ms))),
        points.every(({ complete }) => complete) ? 'yes' : 'no',
      ]
    }),
  }
}

export function stormTable(results: Results): Table {
  const check = outcomesOf(results, 'join-storm', 'app').map(({ naiveCheck }) => naiveCheck)[0]
  const proof =
    check == null
      ? ''
      : ` The naive bytes are computed; counted on stock Socket.IO with ${check.sockets} joins they were ${number((check.measuredBytes / check.computedBytes) * 100)} % of the formula.`
  const rows = (['pages', 'plain'] as const).flatMap((kind) =>
    stormSummaries(results, kind).map((storm) => [
      kind === 'pages' ? 'pages, two sockets each, deltas' : 'plain clients, whole lists',
      storm.sockets.toLocaleString('en'),
      withSpread(storm.tookMs, ' ms'),
      withSpread(storm.turnedAway),
      `${shortNumber(storm.presenceBytes.median)}B`,
      `${shortNumber(storm.naiveBytes)}B`,
      `1/${Math.round(storm.naiveBytes / storm.presenceBytes.median).toLocaleString('en')}`,
      withSpread(storm.chatP99Ms, ' ms'),
      `${storm.allRight ? 'all' : 'NOT all'}, ${withSpread(storm.rightAfterMs, ' ms')}`,
    ]),
  )
  return {
    title: 'Join storm',
    note: `Sockets that come as fast as they can, while 40 others chat at 25 msg/s.${proof}`,
    head: [
      'who',
      'sockets',
      'took',
      'turned away, tried again',
      'presence bytes',
      'naive bytes',
      'share',
      'chat p99',
      'lists right after',
    ],
    rows,
  }
}

export function slowReaderTable(results: Results): Table {
  return {
    title: 'One of 100 clients stops reading',
    note: '250 msg/s of 3,900 characters for eight seconds; the others must not notice, and the server must not keep everything for it.',
    head: ['server', 'p99 before, ms', 'p99 during, ms', 'memory grown, MiB', 'others complete', 'slow one let go'],
    rows: peersIn(results, 'slow-reader').map(({ id, label }) => {
      const outcomes = outcomesOf(results, 'slow-reader', id)
      return [
        label,
        withSpread(summarize(outcomes.map(({ before }) => before.p99Ms))),
        withSpread(summarize(outcomes.map(({ during }) => during.p99Ms))),
        withSpread(summarize(outcomes.map(({ grownBytes }) => grownBytes / 2 ** 20))),
        outcomes.every(({ during }) => during.complete) ? 'yes' : 'no',
        outcomes.every(({ disconnected }) => disconnected) ? 'yes' : 'no',
      ]
    }),
  }
}

export function restartTable(results: Results): Table {
  const rows = peersIn(results, 'restart').flatMap(({ id, label }) => {
    const ways = outcomesOf(results, 'restart', id).flatMap((outcome) => outcome.ways)
    return [...Map.groupBy(ways, ({ way }) => way)].map(([way, group]) => [
      label,
      way === 'drain' ? 'asked to stop (SIGTERM)' : 'killed (SIGKILL)',
      withSpread(summarize(group.map(({ back95Ms }) => back95Ms / 1_000)), ' s'),
      `${median(group.map(({ returned }) => returned))} of ${group[0]?.clients ?? 0}`,
      withSpread(summarize(group.map(({ downMs }) => downMs)), ' ms'),
    ])
  })
  return {
    title: 'Restart under 1,000 clients',
    note: "From the signal until 95 % are connected again; ours with the page's own back-off, stock Socket.IO with its client's.",
    head: ['server', 'how', '95 % back after', 'back in the end', 'time to start again'],
    rows,
  }
}

function nodesTable(results: Results): Table {
  const outcomes = outcomesOf(results, 'nodes', 'app')
  const row = (label: string, bursts: BurstResult[]) => [
    label,
    withSpread(summarize(bursts.map(({ cpuUsPerDelivery }) => cpuUsPerDelivery)), ' µs'),
    withSpread(summarize(bursts.map(({ p50Ms }) => p50Ms)), ' ms'),
    withSpread(summarize(bursts.map(({ p99Ms }) => p99Ms)), ' ms'),
    bursts.every(({ complete }) => complete) ? 'yes' : 'no',
  ]
  const ways: [string, 'alone' | 'node' | 'across'][] = [
    ['alone, on SQLite', 'alone'],
    ['one of the nodes on Redis and PostgreSQL', 'node'],
    ['as a node, those who send on another one', 'across'],
  ]
  return {
    title: 'One of several nodes, 300 msg/s to 1,000 clients',
    note: 'CPU of the one process that has the readers. Redis answers after its disk has the message, as SQLite does.',
    head: ['Chat Room', 'CPU per delivery', 'p50', 'p99', 'complete'],
    rows:
      outcomes.length === 0
        ? []
        : ways.map(([label, way]) =>
            row(
              label,
              outcomes.map((outcome) => outcome[way]),
            ),
          ),
  }
}

export function ceilingNote(results: Results): string {
  const outcomes = outcomesOf(results, 'ceiling', 'null')
  if (outcomes.length === 0) return ''
  const summary = summarize(outcomes.map(({ deliveriesPerSecond }) => deliveriesPerSecond))
  return `The load's own ceiling, flooded by the null server: ${shortNumber(summary.median)} deliveries a second; latency is read in steps of ${bucketMs} ms.`
}

/** Says so when the machine was not the bench's own: its figures are then no basis for a verdict. */
export function quietNote(results: Results): string {
  const load = foreignLoad(results)
  if (load === null) return ''
  const percent = (share: number) => `${Math.round(share * 100)} %`
  const figures = `Other programs used ${percent(load.median)} of the machine during the median burst, ${percent(load.max)} during the worst.`
  return !isQuiet(results)
    ? `NOT A QUIET MACHINE: ${figures} Times and CPU figures prove nothing and are not judged.`
    : figures
}

export function allTables(results: Results): Table[] {
  return [
    sustainedTable(results),
    rateTable(results),
    fanoutTable(results),
    crowdTable(results),
    manyToManyTable(results),
    stormTable(results),
    slowReaderTable(results),
    restartTable(results),
    nodesTable(results),
  ]
}
