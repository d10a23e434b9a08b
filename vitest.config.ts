import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

// Deadlines are for what never comes, not for how long it takes: a busy machine must not turn a test red.
const poll = { timeout: 30_000 }
// Many of these tests wait for something most of the time: two at once, even on two cores.
const maxWorkers = Math.max(2, availableParallelism() - 1)
const patient = { testTimeout: 120_000, hookTimeout: 120_000, expect: { poll } }
// One browser at a time: three at once would leave none of them time to draw.
const inBrowsers = { fileParallelism: false, testTimeout: 240_000, hookTimeout: 180_000 }

const setupFiles = ['tests/support/fail-on-listener-leak.ts']

export default defineConfig({
  test: {
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
      ...['docs', 'api', 'delivery', 'storage', 'operations'].map((name) => ({
        test: { name, include: [`tests/${name}/**/*.test.ts`], maxWorkers, ...patient },
      })),
      { test: { name: 'security', include: ['tests/security/**/*.test.ts'], ...patient } },
      { test: { name: 'engines', include: ['tests/engines/walk.test.ts'], ...inBrowsers } },
      { test: { name: 'browsers', include: ['tests/engines/*.test.ts'], ...inBrowsers } },
      {
        test: {
          name: 'faults',
          include: ['tests/{faults,simulation,cluster}/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 180_000,
        },
      },
    ].map(({ test }) => ({ test: { ...test, setupFiles } })),
  },
})
