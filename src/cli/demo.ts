// `marquee demo`: two advertisers with a minute of real traffic, which shows that delivery works.

import { Command } from 'commander'
import type { Options } from './demonstrate.ts'

export function demoCommand(): Command {
  return new Command('demo')
    .description(
      'check that delivery works: two advertisers and a minute of traffic on the running service; to explore, see sandbox --demo',
    )
    .option('--seconds <n>', 'how long the traffic lasts', '60')
    .option('--visits <n>', 'number of visits', '3000')
    .option('--url <url>', 'where the service runs; default: this machine, at $PORT')
    .option('--remove', 'delete the demo advertisers')
    .addHelpText('after', '\nExample:\n  marquee demo --seconds 120')
    .action(async (options: Options) => {
      const { demonstrate } = await import('./demonstrate.ts')
      await demonstrate(options)
    })
}
