// `marquee demo`: creates two advertisers on the running service and sends bounded, realistic traffic through it, so
// that there are live figures a minute after the first start. `--remove` deletes them again.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, createClient, MarqueeError } from '../../sdk/client.ts'
import { nowSeconds, systemClock } from '../kernel/time/clock.ts'
import { listAllCustomers, removeCustomer } from '../manage/customers/customers.ts'
import { type Config, readConfig } from '../platform/config.ts'
import type { FirstCredentials } from '../service/first-start.ts'
import { withBar } from './bar.ts'
import { driveTraffic } from './demo/traffic.ts'
import { awaitReviews, buildWorld, DEMO_DOMAIN, demoCustomers, worldSteps } from './demo/world.ts'
import { Refused, WrongUsage } from './exit.ts'
import { printRows } from './print.ts'
import { withDatabase } from './with-database.ts'

export interface Options {
  seconds: string
  visits: string
  url?: string
  remove?: boolean
}

const REVIEW_TIMEOUT_MS = 60_000
/** An edit reaches delivery within a second. */
const CATALOG_MS = 1500

export function demonstrate(options: Options): Promise<void> {
  return options.remove ? remove() : demo(options)
}

async function demo(options: Options): Promise<void> {
  const config = readConfig(process.env)
  const seconds = count(options.seconds, '--seconds', 3600)
  const visits = count(options.visits, '--visits', 200_000)
  const baseUrl = (options.url ?? urlHere(config)).replace(/\/$/, '')
  if (!/^https?:$/.test(protocolOf(baseUrl))) throw new WrongUsage('--url must be an http or https URL')
  const credentials = await readCredentials(config.DATA_DIR)
  const { superkey, supertoken } = credentials
  const app = createClient({ baseUrl, credentials: { superkey, supertoken } })
  const once = createClient({ baseUrl, credentials: { superkey, supertoken }, maxRetries: 0 })
  const stop = new AbortController()
  const onInterrupt = () => stop.abort(new Error('stopped'))
  process.once('SIGINT', onInterrupt)
  try {
    const { currency } = await once.readSession().catch(error => {
      throw error instanceof MarqueeError && error.status > 0
        ? error
        : new Error(`no service is running at ${baseUrl}; start it first`)
    })
    await fill(app, stop.signal)
    const tally = await withBar('Visits    ', visits, bar =>
      driveTraffic({
        baseUrl,
        publicUrl: config.PUBLIC_URL,
        serverKey: credentials.serverKey,
        exchangeKey: credentials.bidUrl.split('/').at(-1)!,
        currency,
        visits,
        durationMs: seconds * 1000,
        random: Math.random,
        signal: stop.signal,
        onVisit: ({ visits: done }) => bar.update(done),
      }),
    )
    if (tally.failed > 0) console.error(`${tally.failed} of ${tally.visits} visits failed.`)
    await report(app, config.PUBLIC_URL, currency)
  } finally {
    process.off('SIGINT', onInterrupt)
  }
}

async function fill(app: Client, signal: AbortSignal): Promise<void> {
  const made = await withBar('Campaigns ', worldSteps(), async bar => {
    const banners = await buildWorld(app, nowSeconds(systemClock), () => bar.increment())
    bar.update(worldSteps())
    return banners
  })
  await awaitReviews(app, made, REVIEW_TIMEOUT_MS, signal)
  await new Promise(resolve => setTimeout(resolve, CATALOG_MS))
}

async function report(app: Client, publicUrl: string, currency: string): Promise<void> {
  const rows = []
  const customers = await demoCustomers(app)
  for (const { cuid } of customers) {
    for await (const { cid, name, status } of app.each.listCampaigns({ cuid })) {
      const { imps, views, clicks, actions, spend } = await app.readSummary({ cuid, id: cid })
      rows.push({
        campaign: name,
        status,
        imps,
        views,
        clicks,
        actions,
        spend: `${spend.toFixed(2)} ${currency}`,
      })
    }
  }
  console.log()
  printRows(rows, ['campaign', 'status', 'imps', 'views', 'clicks', 'actions', 'spend'], false)
  const { location } = await app.withMeta.signInCustomer({ email: customers[0]!.email })
  console.log(`\nOpen the console as ${customers[0]!.email} (link valid for one minute):\n  ${location}`)
  console.log(`Later, sign in at ${publicUrl}/console with the super key and token in credentials.json.`)
  console.log('To delete the demo: marquee demo --remove')
}

async function remove(): Promise<void> {
  await withDatabase(async db => {
    let [after, removed] = [0, 0]
    for (;;) {
      const page = await listAllCustomers(db, after, 1000)
      if (page.length === 0) break
      for (const { cuid, email, deleted } of page) {
        after = cuid
        if (deleted !== null || !email.toLowerCase().endsWith(`@${DEMO_DOMAIN}`)) continue
        await db.transaction(tx => removeCustomer(tx, cuid, systemClock))
        removed++
      }
    }
    console.log(removed === 0 ? 'There is no demo to remove.' : `Removed ${removed} customers.`)
  })
}

async function readCredentials(dataDir: string): Promise<FirstCredentials> {
  const path = join(dataDir, 'credentials.json')
  const text = await readFile(path, 'utf8').catch(() => null)
  if (text === null) throw new Refused(`${path} does not exist: start the service once, or set DATA_DIR`)
  return JSON.parse(text) as FirstCredentials
}

function protocolOf(url: string): string {
  return URL.canParse(url) ? new URL(url).protocol : ''
}

function urlHere({ HOST, PORT }: Config): string {
  const host = HOST === '0.0.0.0' || HOST === '::' ? '127.0.0.1' : HOST
  return `http://${host.includes(':') ? `[${host}]` : host}:${PORT}`
}

function count(text: string, option: string, max: number): number {
  if (/^[1-9][0-9]{0,8}$/.test(text) && Number(text) <= max) return Number(text)
  throw new WrongUsage(`${option} must be a whole number from 1 to ${max}`)
}
