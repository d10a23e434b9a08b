import type { BurstResult } from '../harness/room.ts'
import { bucketMs } from '../driver/delivery-counter.ts'
import {
  fanoutPoints,
  costGrowth,
  idleShare,
  memoryPerConnection,
  ratePoints,
  joinStormSummaries,
  sustained,
} from './aggregate.ts'
import { rateSteps } from '../scenarios/rates.ts'
import { otherProcessesLoad, isQuiet, outcomesOf, measuredPeers, type Results } from './results.ts'
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

/** Formats the median, with the range of the runs if there are several. */
function withSpread({ median: middle, min, max, runs }: Summary, unit = ''): string {
  return runs === 1 ? `${number(middle)}${unit}` : `${number(middle)}${unit} (${number(min)}–${number(max)})`
}

export function rateTable(results: Results): Table {
  const peers = measuredPeers(results, 'rates')
  const columns = peers.map(({ id }) => ratePoints(results, id))
  const everyRate = [...new Set(columns.flatMap((points) => points.map(({ x }) => x)))].toSorted((a, b) => a - b)
  // Leave out the rates of bisections, which differ between peers.
  const shared = everyRate.filter((rate) => rateSteps.includes(rate))
  return {
    title: 'CPU per delivery by rate, 1,000 clients',
    note: 'µs of server CPU per delivery (minimum–maximum of the runs); p50 / p99 in ms; bytes per delivery. † not sustained: in at least half of the runs p99 was over 100 ms or deliveries were missing.',
    head: ['msg/s', ...peers.map(({ label }) => label)],
    rows: shared.map((rate) => [
      rate.toLocaleString('en'),
      ...columns.map((points) => {
        const point = points.find(({ x }) => x === rate)
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
    note: 'The highest rate at which every client received every message once and p99 was within 100 ms, multiplied by the number of clients.',
    head: ['server', 'deliveries/s', 'against stock Socket.IO', 'load generator busy at that rate'],
    rows: measuredPeers(results, 'rates').map(({ id, label }) => {
      const summary = sustained(results, id)
      const busy = ratePoints(results, id).findLast(
        ({ sustainedRuns, runs }) => sustainedRuns * 2 > runs,
      )?.loadGeneratorBusyShare
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
  const peers = measuredPeers(results, 'fanout')
  const sizes = [...new Set(peers.flatMap(({ id }) => fanoutPoints(results, id).map(({ x }) => x)))].toSorted(
    (a, b) => a - b,
  )
  const show = (summary: Summary | null, scale = 1) =>
    summary === null
      ? '–'
      : withSpread({ ...summary, median: summary.median / scale, min: summary.min / scale, max: summary.max / scale })
  return {
    title: 'Fan-out: CPU per delivery by room size, 5 msg/s',
    note: 'µs of server CPU per delivery without idle CPU; p99 in ms. † messages missing. Slope: log-log slope of CPU per broadcast over room size. Memory: resident bytes per connection at 10,000 idle connections, after garbage collection. Idle: CPU of 10,000 connections without messages during one ping interval.',
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
          const point = points.find(({ x }) => x === size)
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

export function manyConnectionsTable(results: Results): Table {
  return {
    title: 'Many connections: up to 20,000, one message a second',
    note: 'For two ping intervals. Complete: every client received every message.',
    head: ['server', 'open connections', 'KiB per connection', 'p50, ms', 'p99, ms', 'complete'],
    rows: measuredPeers(results, 'many-connections').map(({ id, label }) => {
      const outcomes = outcomesOf(results, 'many-connections', id)
      return [
        label,
        withSpread(summarize(outcomes.map(({ openConnections }) => openConnections))),
        withSpread(summarize(outcomes.map(({ bytesPerConnection }) => bytesPerConnection / 1_024))),
        withSpread(summarize(outcomes.map(({ point }) => point.p50Ms))),
        withSpread(summarize(outcomes.map(({ point }) => point.p99Ms))),
        outcomes.every(({ point }) => point.isComplete) ? 'yes' : 'no',
      ]
    }),
  }
}

export function manyToManyTable(results: Results): Table {
  return {
    title: 'Many to many: 300 clients, each sends once a second',
    note: '300 messages and 90,000 deliveries a second.',
    head: ['server', 'CPU per delivery, µs', 'p50, ms', 'p99, ms', 'complete'],
    rows: measuredPeers(results, 'many-to-many').map(({ id, label }) => {
      const points = outcomesOf(results, 'many-to-many', id).map(({ point }) => point)
      return [
        label,
        withSpread(summarize(points.map(({ cpuUsPerDelivery }) => cpuUsPerDelivery))),
        withSpread(summarize(points.map(({ p50Ms }) => p50Ms))),
        withSpread(summarize(points.map(({ p99Ms }) => p99Ms))),
        points.every(({ isComplete }) => isComplete) ? 'yes' : 'no',
      ]
    }),
  }
}

export function joinStormTable(results: Results): Table {
  const check = outcomesOf(results, 'join-storm', 'app').map(({ naiveCheck }) => naiveCheck)[0]
  const proof =
    check == null
      ? ''
      : ` Naive: the full list to every client at every join. Its bytes are computed; a measurement of ${check.sockets} joins on stock Socket.IO gave ${number((check.measuredBytes / check.computedBytes) * 100)} % of the computed bytes.`
  const rows = (['pages', 'plain'] as const).flatMap((kind) =>
    joinStormSummaries(results, kind).map((storm) => [
      kind === 'pages' ? 'pages, two sockets each, deltas' : 'plain clients, full lists',
      storm.sockets.toLocaleString('en'),
      withSpread(storm.durationMs, ' ms'),
      withSpread(storm.rejectedAttempts),
      `${shortNumber(storm.presenceBytes.median)}B`,
      `${shortNumber(storm.naiveBytes)}B`,
      `1/${Math.round(storm.naiveBytes / storm.presenceBytes.median).toLocaleString('en')}`,
      withSpread(storm.chatP99Ms, ' ms'),
      `${storm.areAllCorrect ? 'all' : 'NOT all'}, ${withSpread(storm.correctAfterMs, ' ms')}`,
    ]),
  )
  return {
    title: 'Join storm',
    note: `All sockets connect as fast as possible while 40 other clients send 25 msg/s.${proof}`,
    head: [
      'clients',
      'sockets',
      'duration',
      'rejected and retried',
      'presence bytes',
      'naive bytes',
      'share',
      'chat p99',
      'lists correct after',
    ],
    rows,
  }
}

export function slowConsumerTable(results: Results): Table {
  return {
    title: 'One of 100 clients stops reading',
    note: '250 msg/s of 3,900 characters for eight seconds. The other clients must not be affected, and the memory for the slow consumer must stay limited.',
    head: [
      'server',
      'p99 before, ms',
      'p99 during, ms',
      'memory growth, MiB',
      'other clients complete',
      'slow consumer closed',
    ],
    rows: measuredPeers(results, 'slow-consumer').map(({ id, label }) => {
      const outcomes = outcomesOf(results, 'slow-consumer', id)
      return [
        label,
        withSpread(summarize(outcomes.map(({ before }) => before.p99Ms))),
        withSpread(summarize(outcomes.map(({ during }) => during.p99Ms))),
        withSpread(summarize(outcomes.map(({ memoryGrowthBytes }) => memoryGrowthBytes / 2 ** 20))),
        outcomes.every(({ during }) => during.isComplete) ? 'yes' : 'no',
        outcomes.every(({ isDisconnected }) => isDisconnected) ? 'yes' : 'no',
      ]
    }),
  }
}

export function restartTable(results: Results): Table {
  const rows = measuredPeers(results, 'restart').flatMap(({ id, label }) => {
    const restarts = outcomesOf(results, 'restart', id).flatMap((outcome) => outcome.restarts)
    return [...Map.groupBy(restarts, ({ stop }) => stop)].map(([stop, group]) => [
      label,
      stop === 'drain' ? 'SIGTERM' : 'SIGKILL',
      withSpread(summarize(group.map(({ reconnected95Ms }) => reconnected95Ms / 1_000)), ' s'),
      `${median(group.map(({ reconnected }) => reconnected))} of ${group[0]?.clients ?? 0}`,
      withSpread(summarize(group.map(({ downMs }) => downMs)), ' ms'),
    ])
  })
  return {
    title: 'Restart with 1,000 clients',
    note: "Time from the signal until 95 % of the clients have reconnected. Chat Room's clients use the back-off of its page, stock Socket.IO that of socket.io-client.",
    head: ['server', 'signal', '95 % reconnected after', 'reconnected in total', 'start of the new process'],
    rows,
  }
}

export function nodesTable(results: Results): Table {
  const outcomes = outcomesOf(results, 'nodes', 'app')
  const row = (label: string, bursts: BurstResult[]) => [
    label,
    withSpread(summarize(bursts.map(({ cpuUsPerDelivery }) => cpuUsPerDelivery)), ' µs'),
    withSpread(summarize(bursts.map(({ p50Ms }) => p50Ms)), ' ms'),
    withSpread(summarize(bursts.map(({ p99Ms }) => p99Ms)), ' ms'),
    bursts.every(({ isComplete }) => isComplete) ? 'yes' : 'no',
  ]
  const setups: [string, 'alone' | 'node' | 'crossNode'][] = [
    ['single process on SQLite', 'alone'],
    ['node on Redis and PostgreSQL', 'node'],
    ['node on Redis and PostgreSQL, senders on another node', 'crossNode'],
  ]
  return {
    title: 'Cluster node, 300 msg/s to 1,000 clients',
    note: 'CPU of the process that serves the receivers. Redis and SQLite both acknowledge a message after fsync.',
    head: ['Chat Room', 'CPU per delivery', 'p50', 'p99', 'complete'],
    rows:
      outcomes.length === 0
        ? []
        : setups.map(([label, setup]) =>
            row(
              label,
              outcomes.map((outcome) => outcome[setup]),
            ),
          ),
  }
}

export function ceilingNote(results: Results): string {
  const outcomes = outcomesOf(results, 'ceiling', 'null')
  if (outcomes.length === 0) return ''
  const summary = summarize(outcomes.map(({ deliveriesPerSecond }) => deliveriesPerSecond))
  return `Receive limit of the load generator: ${shortNumber(summary.median)} deliveries a second from the null server. Latency resolution: ${bucketMs} ms.`
}

/** Returns the CPU share of other processes, with a warning if it is too high for verdicts. */
export function otherProcessesNote(results: Results): string {
  const load = otherProcessesLoad(results)
  if (load === null) return ''
  const percent = (share: number) => `${Math.round(share * 100)} %`
  const figures = `Other processes used ${percent(load.median)} of the CPU (median of all bursts), at most ${percent(load.max)}.`
  return !isQuiet(results)
    ? `Machine not quiet. ${figures} Times and CPU figures are unreliable and get no verdict. Stop other programs and run the bench again.`
    : figures
}

export function allTables(results: Results): Table[] {
  return [
    sustainedTable(results),
    rateTable(results),
    fanoutTable(results),
    manyConnectionsTable(results),
    manyToManyTable(results),
    joinStormTable(results),
    slowConsumerTable(results),
    restartTable(results),
    nodesTable(results),
  ]
}
