import { type Plan, planRoom, type Wanted } from './plan.ts'
import { simulateNode } from './simulate-node.ts'

const measuredRates = [300, 1_000, 2_000, 4_000]
const measuredCpuUs = [1.96, 0.72, 0.34, 0.2]
const measuredP99Ms = [35, 43.3, 53.7, 73.6]

/** The simulated node beside the measured one. */
export function shapeTable(): string {
  const rows = measuredRates.map((rate, index) => {
    const node = simulateNode({ pages: 1_000, messagesPerSecond: rate, seconds: 4, seed: 7 })
    return [
      whole(rate),
      measuredCpuUs[index],
      node.cpuPerDeliveryUs.toFixed(2),
      measuredP99Ms[index],
      Math.round(node.p99Ms),
    ]
  })
  return table(['msg/s', 'µs per delivery, measured', 'simulated', 'p99 in ms, measured', 'simulated'], rows)
}

const common = { stayMinutes: 10, p99Ms: 250, mostBusy: 0.6 }
const rooms: { name: string; wanted: Wanted }[] = [
  { name: '10,000 pages, 10 msg/s', wanted: { ...common, pages: 10_000, messagesPerSecond: 10 } },
  { name: '100,000 pages, 10 msg/s', wanted: { ...common, pages: 100_000, messagesPerSecond: 10 } },
  { name: '1,000,000 pages, 10 msg/s', wanted: { ...common, pages: 1_000_000, messagesPerSecond: 10 } },
  { name: '1,000,000 pages, 100 msg/s', wanted: { ...common, pages: 1_000_000, messagesPerSecond: 100 } },
  {
    name: 'the same, a flush every 100 ms',
    wanted: { ...common, pages: 1_000_000, messagesPerSecond: 100, windowMs: 100 },
  },
]

const lines: [string, (plan: Plan) => string][] = [
  ['pages a node carries', ({ pagesPerNode }) => whole(pagesPerNode)],
  ['nodes (one core each)', ({ nodes }) => whole(nodes)],
  ['a node’s core is busy', ({ node }) => percent(node.busy)],
  ['p99 at a node', ({ node }) => `${Math.round(node.p99Ms)} ms`],
  ['messages out of a node', ({ nodeMessageBytes }) => rate(nodeMessageBytes)],
  ['messages out of all', ({ nodeMessageBytes, nodes }) => rate(nodeMessageBytes * nodes)],
  ['the list for one who comes', ({ listBytes }) => size(listBytes)],
  ['comings and goings, to each page', ({ deltaBytesPerPage }) => rate(deltaBytesPerPage)],
  ['comings and goings, out of a node', ({ nodePresenceBytes }) => rate(nodePresenceBytes)],
  ['others’ ids in a node’s memory', ({ rosterBytes }) => size(rosterBytes)],
  ['reads at Redis', ({ redisReadsPerSecond }) => `${whole(redisReadsPerSecond)}/s`],
  ['Redis’s core is busy', ({ redisBusy }) => percent(redisBusy)],
  ['messages out of Redis', ({ redisBytes }) => rate(redisBytes)],
]

/** What rooms of these sizes take, if nothing is changed. */
export function planTable(): string {
  const plans = rooms.map(({ wanted }) => planRoom(wanted))
  return table(
    ['', ...rooms.map(({ name }) => name)],
    lines.map(([name, of]) => [name, ...plans.map(of)]),
  )
}

function table(head: readonly (string | number | undefined)[], rows: readonly (readonly unknown[])[]): string {
  const line = (cells: readonly unknown[]) => `| ${cells.join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

const whole = (value: number) => Math.round(value).toLocaleString('en-US')
const percent = (share: number) => `${Math.round(share * 100)} %`
const units = ['B', 'kB', 'MB', 'GB', 'TB']

function size(bytes: number): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  return `${Number((bytes / 1_000 ** power).toPrecision(3))} ${units[power]}`
}

const rate = (bytes: number) => `${size(bytes)}/s`
