// `marquee app origins …`: whose pages may call the API with the pairs of an app's customers.

import { Command } from 'commander'
import { originsOf, setOrigins } from '../identity/origins.ts'
import { WrongUsage } from './exit.ts'
import { printJson, printRecord } from './print.ts'
import { withDatabase } from './with-database.ts'

const MOST = 20

export function originsCommand(): Command {
  return new Command('origins')
    .argument('<name>')
    .argument('[origins...]')
    .description("the web origins whose pages may call the API with customers' pairs: show or replace them")
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\n"none" clears the list. It takes effect within a second.\n\nExamples:\n  marquee app origins shop\n  marquee app origins shop https://ads.shop.example http://localhost:5173\n  marquee app origins shop none',
    )
    .action((name: string, given: string[], options: { json?: boolean }) => {
      const wanted = wantedOf(given)
      return withDatabase(async db => {
        if (wanted !== null) await setOrigins(db, name, wanted)
        const origins = await originsOf(db, name)
        if (options.json) printJson({ name, origins })
        else printRecord({ name, origins: origins.join(', ') || 'none' }, false)
      })
    })
}

/** Null: the list stays as it is. */
function wantedOf(given: string[]): string[] | null {
  if (given.length === 0) return null
  if (given.length === 1 && given[0] === 'none') return []
  if (given.length > MOST) throw new WrongUsage(`an app can have at most ${MOST} origins`)
  return [...new Set(given.map(originOf))]
}

/** As browsers write it: in lower case, without the usual port and without a path. */
function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
  if (isOrigin) return url.origin
  throw new WrongUsage(`an origin is a scheme and a host, such as https://ads.shop.example, not "${text}"`)
}
