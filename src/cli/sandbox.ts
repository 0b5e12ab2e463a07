// `marquee sandbox`: a deployment for trying things out, with its own clock.

import { Command } from 'commander'
import type { SandboxOptions } from './sandbox-serving.ts'

export function sandboxCommand(): Command {
  return new Command('sandbox')
    .description('run a sandbox until Ctrl-C: a separate service whose clock stands still until it is moved')
    .option('--start <time>', 'what its clock says first, such as 2026-10-01; default: now')
    .option('--seed <text>', 'chance: the same seed, start and calls give the same figures', '1')
    .option('--demo', 'with eleven shops and 60 days of history, ready in about two minutes')
    .option('--keep', 'keep its data when it ends')
    .addHelpText(
      'after',
      '\nIts data is in a temporary folder, or in DATA_DIR; it listens at PORT (8090 if not set).\n' +
        '\nExamples:\n  marquee sandbox --start 2026-10-01\n  marquee sandbox --demo',
    )
    .action(async (options: SandboxOptions) => {
      const { serveSandbox } = await import('./sandbox-serving.ts')
      await serveSandbox(options)
    })
}
