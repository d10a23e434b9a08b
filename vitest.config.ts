import { defineConfig } from 'vitest/config'

const patient = { testTimeout: 60_000, hookTimeout: 60_000 }

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['{contract,server,web}/**/*.test.{ts,tsx}'] } },
      { test: { name: 'server', include: ['tests/server/**/*.test.ts'], ...patient } },
      { test: { name: 'security', include: ['tests/security/**/*.test.ts'], ...patient } },
      {
        test: { name: 'faults', include: ['tests/faults/**/*.test.ts'], fileParallelism: false, testTimeout: 180_000 },
      },
    ],
  },
})
