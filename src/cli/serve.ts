// `marquee serve`. Only this command loads the whole service, so that the other commands start quickly.

import { Command, Option } from 'commander'

export function serveCommand(): Command {
  return new Command('serve')
    .description('run the service (API, docs, console) until Ctrl-C or SIGTERM')
    .addHelpText('after', '\nExample:\n  PORT=9000 DATA_DIR=/srv/marquee marquee serve')
    .addOption(new Option('--process <place>', 'one of several, started by the main one').hideHelp())
    .action(async (options: { process?: string }) => {
      const { serve } = await import('./serving.ts')
      await serve(options)
    })
}
