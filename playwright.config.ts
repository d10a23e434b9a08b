import { defineConfig } from '@playwright/test'
import { chromiumOptions } from './scripts/chromium.ts'

export default defineConfig({
  testDir: 'tests/e2e',
  outputDir: 'test-results/e2e',
  workers: 1,
  retries: 0,
  timeout: 30_000,
  expect: { timeout: 10_000 },
  reporter: 'line',
  use: {
    launchOptions: chromiumOptions,
    viewport: { width: 1280, height: 800 },
    locale: 'en-US',
    actionTimeout: 10_000,
    navigationTimeout: 15_000,
  },
})
