import { measurements } from './costs.ts'
import { type Plan, planRoom, type RoomRequirements } from './plan.ts'
import { simulateNode } from './simulate-node.ts'

/** Returns a table that compares the simulated node with the measurements. */
export function validationTable(): string {
  const rows = measurements.map(({ messagesPerSecond, cpuPerDeliveryUs, p99Ms }) => {
    const node = simulateNode({ pages: 1_000, messagesPerSecond, seconds: 4, seed: 7 })
    return [
      formatWhole(messagesPerSecond),
      cpuPerDeliveryUs,
      node.cpuPerDeliveryUs.toFixed(2),
      p99Ms,
      Math.round(node.p99Ms),
    ]
  })
  return table(['msg/s', 'µs per delivery, measured', 'simulated', 'p99 in ms, measured', 'simulated'], rows)
}

const common = { averageStayMinutes: 10, p99Ms: 250, maxBusyShare: 0.6 }
const rooms: { name: string; requirements: RoomRequirements }[] = [
  { name: '10,000 pages, 10 msg/s', requirements: { ...common, pages: 10_000, messagesPerSecond: 10 } },
  { name: '100,000 pages, 10 msg/s', requirements: { ...common, pages: 100_000, messagesPerSecond: 10 } },
  { name: '1,000,000 pages, 10 msg/s', requirements: { ...common, pages: 1_000_000, messagesPerSecond: 10 } },
  { name: '1,000,000 pages, 100 msg/s', requirements: { ...common, pages: 1_000_000, messagesPerSecond: 100 } },
  {
    name: 'the same, flush every 100 ms',
    requirements: { ...common, pages: 1_000_000, messagesPerSecond: 100, windowMs: 100 },
  },
]

const metrics: [string, (plan: Plan) => string][] = [
  ['pages per node', ({ pagesPerNode }) => formatWhole(pagesPerNode)],
  ['nodes (one core each)', ({ nodes }) => formatWhole(nodes)],
  ['CPU share of a node', ({ node }) => percent(node.busyShare)],
  ['p99 of a node', ({ node }) => `${Math.round(node.p99Ms)} ms`],
  ['outgoing messages of a node', ({ nodeMessageBytesPerSecond }) => rate(nodeMessageBytesPerSecond)],
  ['outgoing messages of all nodes', ({ nodeMessageBytesPerSecond, nodes }) => rate(nodeMessageBytesPerSecond * nodes)],
  ['full presence list', ({ listBytes }) => size(listBytes)],
  ['presence deltas to each page', ({ pageDeltaBytesPerSecond }) => rate(pageDeltaBytesPerSecond)],
  ['outgoing presence deltas of a node', ({ nodePresenceBytesPerSecond }) => rate(nodePresenceBytesPerSecond)],
  ['memory of a node for presence ids', ({ rosterBytes }) => size(rosterBytes)],
  ['reads from Redis', ({ redisReadsPerSecond }) => `${formatWhole(redisReadsPerSecond)}/s`],
  ['CPU share of Redis', ({ redisBusyShare }) => percent(redisBusyShare)],
  ['outgoing messages of Redis', ({ redisBytesPerSecond }) => rate(redisBytesPerSecond)],
]

/** Returns the capacity plan of the example rooms. */
export function planTable(): string {
  const plans = rooms.map(({ requirements }) => planRoom(requirements))
  return table(
    ['', ...rooms.map(({ name }) => name)],
    metrics.map(([name, of]) => [name, ...plans.map(of)]),
  )
}

function table(head: readonly (string | number | undefined)[], rows: readonly (readonly unknown[])[]): string {
  const line = (cells: readonly unknown[]) => `| ${cells.join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

const formatWhole = (value: number) => Math.round(value).toLocaleString('en-US')
const percent = (share: number) => `${Math.round(share * 100)} %`
const units = ['B', 'kB', 'MB', 'GB', 'TB']

function size(bytes: number): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  return `${Number((bytes / 1_000 ** power).toPrecision(3))} ${units[power]}`
}

const rate = (bytes: number) => `${size(bytes)}/s`
