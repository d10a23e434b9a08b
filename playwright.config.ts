import { defineConfig } from '@playwright/test'
import { chromiumOptions } from './scripts/chromium.ts'
import type { WorkerFixtures } from './tests/e2e/fixtures.ts'

export default defineConfig<object, WorkerFixtures>({
  testDir: 'tests/e2e',
  outputDir: 'test-results/e2e',
  // A browser waits for half of its time. Each worker has a server of its own, and no test here measures time.
  workers: 2,
  retries: 0,
  // Generous: a busy machine is no defect, and a test that waits for a state is done when it is there.
  timeout: 300_000,
  expect: { timeout: 40_000 },
  reporter: 'line',
  projects: [
    { name: 'server', testIgnore: 'cluster.test.ts' },
    // The room of three nodes; all tests run against it with E2E_NODES=3.
    { name: 'cluster', testMatch: 'cluster.test.ts', use: { nodes: 3 } },
  ],
  use: {
    launchOptions: chromiumOptions,
    viewport: { width: 1280, height: 800 },
    locale: 'en-US',
    actionTimeout: 40_000,
    navigationTimeout: 60_000,
  },
})
