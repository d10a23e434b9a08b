import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { LongTestsFirst } from './tests/support/long-tests-first.ts'

// Timeouts detect states that never occur. They are long, so that a busy machine does not fail a test.
const poll = { timeout: 30_000 }
// Most tests wait most of the time, so a machine with few cores also runs four test files in parallel.
const maxWorkers = Math.max(4, availableParallelism())
/** Projects whose files share processes: starting a process and loading the program takes longer than running a file. */
const shared = new Set(['unit', 'docs', 'api', 'delivery', 'storage', 'security'])
const longTimeouts = { testTimeout: 120_000, hookTimeout: 120_000, expect: { poll } }
const browserTimeouts = { testTimeout: 240_000, hookTimeout: 180_000 }

const setupFiles = ['tests/support/fail-on-listener-leak.ts', 'tests/support/bundled-threads.ts']

export default defineConfig({
  test: {
    sequence: { sequencer: LongTestsFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{contract,server,web,bench}/**/*.test.{ts,tsx}'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: { poll },
          maxWorkers,
        },
      },
      ...['docs', 'api', 'delivery', 'storage', 'operations', 'security'].map((name) => ({
        test: { name, include: [`tests/${name}/**/*.test.ts`], maxWorkers, ...longTimeouts },
      })),
      { test: { name: 'engines', include: ['tests/engines/smoke-*.test.ts'], maxWorkers: 2, ...browserTimeouts } },
      { test: { name: 'browsers', include: ['tests/engines/*.test.ts'], fileParallelism: false, ...browserTimeouts } },
      {
        test: {
          name: 'faults',
          include: ['tests/{faults,simulation,cluster}/**/*.test.ts'],
          maxWorkers,
          ...longTimeouts,
          testTimeout: 180_000,
        },
      },
    ].map(({ test }) => ({ test: { ...test, setupFiles, isolate: !shared.has(test.name) } })),
  },
})
