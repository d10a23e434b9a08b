import { defineConfig } from '@playwright/test'
import { chromiumOptions } from './scripts/chromium.ts'

export default defineConfig({
  testDir: 'tests/e2e',
  outputDir: 'test-results/e2e',
  // A browser waits for half of its time. Each worker has a server of its own, and no test here measures time.
  workers: 2,
  retries: 0,
  // Generous: a busy machine is no defect, and a test that waits for a state is done when it is there.
  timeout: 90_000,
  expect: { timeout: 20_000 },
  reporter: 'line',
  use: {
    launchOptions: chromiumOptions,
    viewport: { width: 1280, height: 800 },
    locale: 'en-US',
    actionTimeout: 20_000,
    navigationTimeout: 30_000,
  },
})
