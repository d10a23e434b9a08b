import { createMetrics } from '../../server/observe/metrics.ts'
import { code, table } from './tables.ts'

/** Returns the table of the server's own metrics, from the registry itself. */
export async function metricsTable(): Promise<string> {
  const metrics = createMetrics()
  const text = await metrics.read()
  const types = new Map([...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => [name, type]))
  const rows = [...text.matchAll(/^# HELP (\w+) (.*)$/gm)].map(([, name = '', help = '']) => [
    code(name),
    types.get(name) ?? '',
    help,
  ])
  return table(['metric', 'type', 'meaning'], rows)
}
