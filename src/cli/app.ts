// `marquee app …`: the applications that may use the service, and their super pairs.

import { readFile } from 'node:fs/promises'
import { Command, Option } from 'commander'
import {
  type App,
  brandApp,
  createApp,
  listApps,
  provisionApp,
  revokeApp,
  rotateApp,
} from '../identity/apps.ts'
import { originsOf, setOrigins } from '../identity/origins.ts'
import { isHttpUrl } from '../kernel/address.ts'
import { pairCommand } from './app-pair.ts'
import { staffCommand } from './app-staff.ts'
import { Refused, WrongUsage } from './exit.ts'
import { printJson, printRecord, printRows } from './print.ts'
import { lifeOf, nameOf } from './values.ts'
import { withDatabase } from './with-database.ts'

interface AppOptions {
  json?: boolean
  passcode?: 'on' | 'off'
  nopasscode?: 'on' | 'off'
  sources?: 'on' | 'off'
  review?: 'automatic' | 'manual'
  platform?: string
}

interface BrandOptions {
  json?: boolean
  title?: string
  color?: string
  logo?: string
}

export function appCommand(): Command {
  const command = new Command('app').description(
    'apps: create, list, rotate, pair, staff, provision, origins, brand, revoke',
  )
  addCreate(command)
  addList(command)
  addRotate(command)
  addProvision(command)
  addBrand(command)
  addRevoke(command)
  command.addCommand(originsCommand())
  command.addCommand(pairCommand())
  command.addCommand(staffCommand())
  return command
}

/** What an app may do, as options of `create` and `provision`. */
const provisioningOptions = () => [
  new Option('--passcode <on|off>', 'may have passcodes emailed').choices(['on', 'off']),
  new Option('--nopasscode <on|off>', 'may obtain credentials with an email address alone').choices([
    'on',
    'off',
  ]),
  new Option('--sources <on|off>', 'may add, change and revoke sources of ad requests').choices([
    'on',
    'off',
  ]),
  new Option('--review <automatic|manual>', 'whether a person looks at each banner').choices([
    'automatic',
    'manual',
  ]),
  new Option('--platform <url>', 'where SSO redirects to; "console" for the built-in console'),
]

function addCreate(command: Command): void {
  const create = command
    .command('create <name>')
    .description('create an app and print its super pair (the token is shown only now)')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  marquee app create shop --passcode on --platform https://ads.shop.example/',
    )
    .action((name: string, options: AppOptions) => {
      const wanted = { name: nameOf(name), ...provisioningOf(options) }
      return withDatabase(
        async (db, _, clock) => {
          const { app, pair } = await db.transaction(tx => createApp(tx, wanted, clock))
          printRecord({ ...shown(app), superkey: pair.key, supertoken: pair.token }, !!options.json)
        },
        { isFirst: true },
      )
    })
  for (const option of provisioningOptions()) create.addOption(option)
}

function addList(command: Command): void {
  command
    .command('list')
    .description('list the apps')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  marquee app list --json')
    .action((options: AppOptions) =>
      withDatabase(async db => {
        const columns = [
          'appId',
          'name',
          'passcode',
          'nopasscode',
          'sources',
          'platform',
          'created',
          'revoked',
        ] as const
        printRows((await listApps(db)).map(shown), [...columns], !!options.json)
      }),
    )
}

function addRotate(command: Command): void {
  command
    .command('rotate <name>')
    .description('issue a new super pair; the earlier one stops working immediately, or after --overlap')
    .option('--pair <name>', 'in the place of the pair with this name; default: the one without a name')
    .option('--overlap <time>', 'keep earlier pairs valid for this long: 30m, 24h, 7d', '0')
    .addOption(new Option('--grace <seconds>', 'the same in seconds').hideHelp())
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  marquee app rotate default --overlap 24h\n  marquee app rotate default --pair reporting --overlap 24h',
    )
    .action((name: string, options: AppOptions & { overlap: string; grace?: string; pair?: string }) => {
      const overlapSeconds = overlapOf(options)
      return withDatabase(async (db, _, clock) => {
        const pair = await db.transaction(tx => rotateApp(tx, name, overlapSeconds, clock, options.pair))
        const until = overlapSeconds === 0 ? 'now' : new Date(clock.nowMs() + overlapSeconds * 1000)
        printRecord({ superkey: pair.key, supertoken: pair.token, earlierPairsEnd: until }, !!options.json)
      })
    })
}

function addProvision(command: Command): void {
  const provision = command
    .command('provision <name>')
    .description('set what an app may do')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  marquee app provision shop --passcode on --nopasscode off')
    .action((name: string, options: AppOptions) => {
      const wanted = provisioningOf(options)
      return withDatabase(async db => {
        printRecord(shown(await provisionApp(db, name, wanted)), !!options.json)
      })
    })
  for (const option of provisioningOptions()) provision.addOption(option)
}

function addBrand(command: Command): void {
  command
    .command('brand <name>')
    .description('set how the console looks to an app\'s customers; "none" clears a setting')
    .option('--title <text>', 'name of the console')
    .option('--color <#rrggbb>', 'colour of buttons and links')
    .option('--logo <file>', 'a PNG, JPEG, WebP or GIF image')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  marquee app brand shop --title "Shop Ads" --color "#0a7d4f" --logo logo.png',
    )
    .action(async (name: string, options: BrandOptions) => {
      const change = {
        title: given(options.title, checkTitle),
        color: given(options.color, checkColor),
        logo: await given(options.logo, readLogoFile),
      }
      await withDatabase(async db => {
        const { brand } = await db.transaction(tx => brandApp(tx, name, change))
        printRecord({ name, title: brand.title, color: brand.color, logo: brand.logoHash }, !!options.json)
      })
    })
}

function addRevoke(command: Command): void {
  command
    .command('revoke <name>')
    .description('revoke an app: its pairs and those of its customers stop working within 1 s')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  marquee app revoke shop')
    .action((name: string, options: AppOptions) =>
      withDatabase(async (db, _, clock) => {
        printRecord(shown(await db.transaction(tx => revokeApp(tx, name, clock))), !!options.json)
      }),
    )
}

const LONGEST_OVERLAP_DAYS = 365
const LONGEST_OVERLAP_S = LONGEST_OVERLAP_DAYS * 86_400

/** In seconds; 0 if there is none. Earlier versions called the option `grace`. */
function overlapOf({ overlap, grace }: { overlap: string; grace?: string }): number {
  if (grace !== undefined) return graceOf(grace)
  return overlap === '0' ? 0 : lifeOf(overlap, '--overlap', '30m, 24h or 7d', LONGEST_OVERLAP_DAYS)
}

function graceOf(text: string): number {
  if (/^\d+$/.test(text) && Number(text) <= LONGEST_OVERLAP_S) return Number(text)
  throw new WrongUsage(
    `--grace must be a whole number of seconds from 0 to ${LONGEST_OVERLAP_S}, not "${text}"`,
  )
}

/** Undefined leaves the setting as it is; "none" clears it. */
function given<T>(text: string | undefined, read: (text: string) => T): T | null | undefined {
  return text === undefined ? undefined : text === 'none' ? null : read(text)
}

function checkTitle(text: string): string {
  const title = text.trim()
  if (title !== '' && title.length <= 60 && !/\p{Cc}/u.test(title)) return title
  throw new WrongUsage('--title must have 1 to 60 characters')
}

function checkColor(text: string): string {
  if (/^#[0-9a-f]{6}$/i.test(text)) return text.toLowerCase()
  throw new WrongUsage('--color must be six hexadecimal digits such as "#0a7d4f"')
}

/** The owner in the image queue: commands do not queue behind any app. */
const OPERATOR = 0

async function readLogoFile(path: string): Promise<Buffer> {
  const bytes = await readFile(path).catch(() => null)
  if (!bytes) throw new Refused(`--logo: cannot read "${path}"`)
  const { startImages } = await import('../service/images.ts')
  const images = startImages()
  try {
    return await images.logo(bytes, OPERATOR)
  } finally {
    await images.stop()
  }
}

function provisioningOf(options: AppOptions) {
  const flag = (value: 'on' | 'off' | undefined) => (value === undefined ? undefined : value === 'on')
  return {
    passcode: flag(options.passcode),
    nopasscode: flag(options.nopasscode),
    sources: flag(options.sources),
    review: options.review,
    platformUrl: platformOf(options.platform),
  }
}

function platformOf(text: string | undefined): string | null | undefined {
  if (text === undefined) return undefined
  if (text === 'console') return null
  if (isHttpUrl(text)) return new URL(text).href
  throw new WrongUsage('--platform must be an http or https URL, or "console"')
}

function shown(app: App) {
  return {
    appId: app.appId,
    name: app.name,
    passcode: app.passcode,
    nopasscode: app.nopasscode,
    sources: app.sources,
    review: app.review,
    platform: app.platformUrl ?? 'console',
    created: app.created,
    revoked: app.revoked,
  }
}

const MOST = 20

function originsCommand(): Command {
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
