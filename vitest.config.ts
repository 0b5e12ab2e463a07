import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What takes minutes begins first, so that nobody waits for it alone at the end. */
const LONG = /test\/(deploy|browser|faults|journeys)\/|embedded|simulation|src\/(cli|demo)\//

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => Number(LONG.test(moduleId))
    return sorted.sort((a, b) => isLong(b) - isLong(a))
  }
}

// One real PostgreSQL for the whole run (globalSetup); each test file works in a database of its own.
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'sdk/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/support/postgres.ts', 'test/support/inspection-worker.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // How long a test waits for what must come; a busy machine takes longer, and none of it is a promise.
    expect: { poll: { timeout: 20_000 } },
    // For two cores: most tests wait for something most of the time.
    maxWorkers: 3,
    // Files that run one after the other share a process: loading the service anew for each took a third of the time.
    isolate: false,
    sequence: { sequencer: LongFirst },
  },
})
