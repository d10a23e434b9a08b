import { expect, test } from 'vitest'
import type { JoinStormResult } from '../scenarios/scenario.ts'
import { drawCharts } from './charts.ts'
import { renderMarkdown } from './markdown.ts'
import type { Results } from './results.ts'
import { allTables } from './tables.ts'
import { renderTerminal } from './terminal.ts'

const joinStorm = (sockets: number): JoinStormResult => ({
  kind: 'pages',
  sockets,
  durationMs: 1,
  rejectedAttempts: 0,
  presenceBytes: 1_000,
  naiveBytes: 100_000,
  correct: 1,
  presenceClients: 1,
  correctAfterMs: 1,
  chatP50Ms: 1,
  chatP99Ms: 1,
  isChatComplete: true,
  versionGaps: 0,
})

const results: Results = {
  measuredOn: '2026-01-01',
  quick: false,
  runs: 1,
  machine: {
    cpu: 'Example CPU <1>',
    architecture: 'x64',
    cores: 2,
    memoryGiB: 8,
    system: 'Linux',
    kernel: 'Linux 6',
    node: 'v24',
    congestionControl: 'cubic',
  },
  peers: [{ id: 'app', label: 'Chat Room', configuration: '', batching: '', unavailableReason: null }],
  records: [
    { peer: 'app', run: 1, outcome: { scenario: 'rates', points: [], sustained: 1 } },
    {
      peer: 'app',
      run: 1,
      outcome: {
        scenario: 'fanout',
        points: [],
        requestedConnections: 10_000,
        openConnections: 10_000,
        bytesPerConnection: 1,
        idleShare: 0,
      },
    },
    {
      peer: 'app',
      run: 1,
      outcome: { scenario: 'join-storm', storms: [joinStorm(500), joinStorm(1_000)], naiveCheck: null },
    },
  ],
}

test('BENCH-7 the report, its charts and the terminal output name the CPU, the cores and the architecture', () => {
  const charts = drawCharts(results)
  expect(renderMarkdown(results, [...charts.keys()])).toContain('Machine: Example CPU <1>, 2 cores, x64,')
  expect(renderTerminal(results, allTables(results))).toContain('Machine: Example CPU <1>, 2 cores, x64\n')
  expect(charts.size).toBe(7)
  for (const [name, svg] of charts) expect(svg, name).toContain('>Machine: Example CPU &lt;1&gt;, 2 cores, x64</text>')
})
