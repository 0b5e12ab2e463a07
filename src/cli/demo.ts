// `marquee demo`: two advertisers with a minute of real traffic, to look around in.

import { Command } from 'commander'
import type { Options } from './demonstrate.ts'

export function demoCommand(): Command {
  return new Command('demo')
    .description('fill the running service with two advertisers and a minute of traffic, to look around in')
    .option('--seconds <n>', 'how long the traffic lasts', '60')
    .option('--visits <n>', 'how many visits it has', '3000')
    .option('--url <url>', 'where the service is reached; by default on this machine, at $PORT')
    .option('--remove', 'delete the advertisers of the demo')
    .addHelpText('after', '\nExample:\n  marquee demo --seconds 120')
    .action(async (options: Options) => {
      const { demonstrate } = await import('./demonstrate.ts')
      await demonstrate(options)
    })
}
