import { escapeControls } from '../../observe/untrusted-text.ts'

/** Returns lines with aligned columns. Escapes control characters, because cells can contain text of clients. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows.map((row) => row.map(escapeControls))]
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Returns a table, or the text `empty` if there are no rows. */
export function tableOr(empty: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  return rows.length === 0 ? empty : textTable(head, rows)
}

/** Returns a count with its noun in the singular or plural, like '1 message'. */
export const countText = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`

export const timeText = (ms: number) => new Date(ms).toISOString()
