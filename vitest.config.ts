import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What takes long begins first, the longest before the others, so that nobody waits for it alone at the end. */
const LONG = [
  'test/deploy/image',
  'test/browser/console-pages',
  'test/faults/',
  'test/plans/',
  'test/browser/',
  'test/deploy/',
  'src/platform/embedded-postgres/',
  'simulation',
  'test/journeys/',
  'src/cli/',
  'src/cli/demo/',
  'test/integrators/',
  'sdk/pack/',
  'src/service/',
  'src/report/export/',
  'src/cli/backup/',
  'query-plans',
  'regex-safety',
]

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.sort((a, b) => turnOf(a) - turnOf(b))
  }
}

function turnOf({ moduleId }: TestSpecification): number {
  const turn = LONG.findIndex(part => moduleId.includes(part))
  return turn < 0 ? LONG.length : turn
}

// One real PostgreSQL for the whole run (globalSetup); each test file works in a database of its own.
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'web/**/*.test.ts', 'sdk/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/support/postgres.ts', 'test/support/child-programs.ts'],
    // How long a test waits for what must come; a busy machine takes longer, and none of it is a promise.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // For two cores: most tests wait for something most of the time.
    maxWorkers: 3,
    // A worker loads everything and lives for minutes: clearing its memory and optimising what runs for seconds cost a
    // twelfth of its time.
    execArgv: [
      '--min-semi-space-size=32',
      '--max-semi-space-size=64',
      '--initial-old-space-size=512',
      // Node 24 has no such option, and would not start.
      ...(Number.parseInt(process.versions.node, 10) < 24 ? ['--interrupt-budget=1000000'] : []),
    ],
    // Files that run one after the other share a process: loading the service anew for each took a third of the time.
    isolate: false,
    sequence: { sequencer: LongFirst },
  },
})
