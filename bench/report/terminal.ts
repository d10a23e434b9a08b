import { machineSummary } from '../machine.ts'
import { verdictTable } from './markdown.ts'
import type { Results } from './results.ts'
import { ceilingNote, otherProcessesNote, type Table } from './tables.ts'

/** Returns a table with aligned columns. */
function alignTable({ head, rows }: Pick<Table, 'head' | 'rows'>): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: string[]) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return [line(head), widths.map((width) => '─'.repeat(width)).join('  '), ...rows.map(line)].join('\n')
}

export function renderTerminal(results: Results, tables: Table[]): string {
  const parts = tables
    .filter(({ rows }) => rows.length > 0)
    .map((table) => `${table.title}\n${alignTable(table)}\n${table.note}\n`)
  return [
    `Machine: ${machineSummary(results.machine)}\n`,
    ...parts,
    ceilingNote(results),
    '',
    'Targets',
    alignTable(verdictTable(results)),
    '',
    otherProcessesNote(results),
  ].join('\n')
}
