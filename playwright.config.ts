import { defineConfig } from '@playwright/test'
import { headlessShellOptions } from './scripts/chromium.ts'
import type { WorkerFixtures } from './tests/e2e/fixtures.ts'

export default defineConfig<object, WorkerFixtures>({
  testDir: 'tests/e2e',
  outputDir: 'test-results/e2e',
  snapshotPathTemplate: '{testDir}/snapshots/{arg}{ext}',
  // There are more workers than a small machine has cores, because each worker has its own server and often waits.
  workers: 3,
  fullyParallel: true,
  retries: 0,
  // Long timeouts tolerate a busy machine. Passing tests do not wait for them.
  timeout: 300_000,
  expect: { timeout: 40_000 },
  reporter: 'line',
  projects: [
    { name: 'server', testIgnore: 'cluster.test.ts' },
    // This project uses a room of three nodes. With E2E_NODES=3, all tests use such a room.
    { name: 'cluster', testMatch: 'cluster.test.ts', use: { nodes: 3 } },
  ],
  use: {
    // A new context opens a window with a toolbar, which costs more CPU time than most tests.
    reuseContext: true,
    launchOptions: {
      ...headlessShellOptions,
      // The pages of a context and the tab that stays open between two tests share one process. Starting a process for
      // each page takes a third of the CPU time of opening the page.
      args: [
        ...headlessShellOptions.args,
        '--process-per-site',
        '--renderer-process-limit=1',
        '--disable-site-isolation-trials',
      ],
    },
    // Animations are decoration and take CPU time in every frame. The tests of the three engines run with them.
    contextOptions: { reducedMotion: 'reduce' },
    viewport: { width: 1280, height: 800 },
    locale: 'en-US',
    actionTimeout: 40_000,
    navigationTimeout: 60_000,
  },
})
