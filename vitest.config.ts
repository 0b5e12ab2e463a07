import { defineConfig } from 'vitest/config'

// One real PostgreSQL for the whole run (globalSetup); each test file works in a database of its own.
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'sdk/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/support/postgres.ts', 'test/support/inspection-worker.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // How long a test waits for what must come; a busy machine takes longer, and none of it is a promise.
    expect: { poll: { timeout: 20_000 } },
    maxWorkers: 2,
  },
})
