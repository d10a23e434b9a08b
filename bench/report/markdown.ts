import { mustShow } from './must-show.ts'
import { peersIn, type Results } from './results.ts'
import {
  ceilingNote,
  fanoutTable,
  manyToManyTable,
  quietNote,
  rateTable,
  restartTable,
  slowReaderTable,
  stormTable,
  sustainedTable,
  type Table,
} from './tables.ts'

function markdownTable({ head, rows }: Pick<Table, 'head' | 'rows'>): string {
  const cell = (text: string) => text.replaceAll('|', '\\|')
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n')
}

export function verdictTable(results: Results): Pick<Table, 'head' | 'rows'> {
  return {
    head: ['what', 'target', 'measured', ''],
    rows: mustShow(results).map(({ what, target, measured, met }) => [
      what,
      target,
      measured,
      met === null ? '–' : met ? 'met' : 'NOT met',
    ]),
  }
}

/** The page in `docs/bench/`; it holds nothing that is not in the JSON beside it. */
export function renderMarkdown(results: Results, charts: string[]): string {
  const { machine, takenOn, runs, quick, peers } = results
  const chart = (name: string, text: string) => (charts.includes(name) ? `![${text}](${name})\n` : '')
  const section = (table: Table, ...images: string[]) =>
    table.rows.length === 0
      ? ''
      : `## ${table.title}\n\n${images.filter((image) => image !== '').join('\n')}${images.some((image) => image !== '') ? '\n' : ''}${markdownTable(table)}\n\n${table.note}\n`
  const missing = peers.filter((peer) => peer.missing !== null)
  const parts = [
    '# Bench\n',
    `Made by \`npm run bench${quick ? ' -- --quick' : ''}\` on ${takenOn}; everything here comes from [results.json](results.json).\n`,
    `Machine: ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.system}, ${machine.kernel}, Node ${machine.node}, TCP congestion control ${machine.congestionControl}. The server under test has core 0 for itself, the load has core 1.\n`,
    `Rules: medians of ${runs} interleaved run${runs === 1 ? '' : 's'}, the smallest and largest behind them; every delivery on every connection counted, and its number checked; latency from the time a message was due, not from when it was sent; 60-character text; our durable log on and its acknowledgements checked, rate limits off; the load never sleeps while it receives, so that no write has to wake it.\n`,
    ceilingNote(results) === '' ? '' : `${ceilingNote(results)}\n`,
    quietNote(results) === '' ? '' : `${quietNote(results)}\n`,
    `## Must show\n\n${markdownTable(verdictTable(results))}\n`,
    section(sustainedTable(results), chart('sustained.svg', 'Sustained deliveries a second')),
    section(
      rateTable(results),
      chart('cpu-by-rate.svg', 'CPU per delivery by rate'),
      chart('latency-by-rate.svg', 'p99 latency by rate'),
    ),
    section(
      fanoutTable(results),
      chart('cpu-by-room.svg', 'CPU per delivery by room size'),
      chart('memory.svg', 'Memory per idle connection'),
    ),
    section(manyToManyTable(results)),
    section(stormTable(results), chart('presence.svg', 'Presence bytes per join')),
    section(slowReaderTable(results)),
    section(restartTable(results)),
    `## The servers\n\n${markdownTable({
      head: ['server', 'setting', 'batching'],
      rows: peers
        .filter((peer) => peer.missing === null)
        .map(({ label, setting, batching }) => [label, setting, batching]),
    })}\n`,
    missing.length === 0
      ? ''
      : `Not measured here: ${missing.map(({ label, missing: why }) => `${label} (${why})`).join('; ')}.\n`,
    peersIn(results, 'rates').length === 0
      ? ''
      : 'The peers send on what they get, unlogged and unacknowledged, and their deliveries are smaller: no event name, epoch or seq.\n',
  ]
  return parts.filter((part) => part !== '').join('\n')
}
