// The demo of a sandbox: two advertisers with weeks of history, campaigns in every state, and 25 customers for staff to
// see. Everything goes through the ordinary API and the visitors of the sandbox, so the same seed and start give the
// same figures.

import type { Client, InputOf } from '../../../sdk/client.ts'
import { createSandbox, type Sandbox } from '../../../sdk/sandbox.ts'
import { type Art, drawBanner } from './images.ts'

export interface HistoryOptions {
  /** The length of the history in days. */
  days: number
  /** Ad requests per hour. */
  perHour: number
  /** From 0 to 1. */
  onProgress(part: number): void
}

interface PastCampaign {
  name: string
  /** `from` and `to` are parts of the history; `daysAfter` are days after it. */
  from: number
  daysAfter?: { start?: number; end?: number }
  to?: number
  fields: Omit<InputOf<'createCampaign'>['body'], 'name' | 'start' | 'end'>
  geos: string[]
  cat?: string[]
  sizes: [width: number, height: number][]
  hasRejected?: boolean
}

interface PastCustomer {
  body: InputOf<'createCustomer'>['body']
  /** Without it, the banners are plain. */
  art?: Art
  credit?: number
  campaigns: PastCampaign[]
  /** Notes that people wrote about a day. */
  notes?: { daysAgo: number; text: string }[]
  views?: InputOf<'createSavedView'>['body'][]
}

const DEMO_DOMAIN = 'demo.marquee.example'
const DAY_S = 86_400
/** The last day is not over, so that today has figures. */
const LAST_HOURS = 15
/** Each call has a fixed cost, and the progress bar moves with each call. */
const DAYS_AT_ONCE = 3
const EVERYWHERE = { mobile: true, tablet: true, desktop: true }
const ALL_SIZES: PastCampaign['sizes'] = [
  [300, 250],
  [320, 50],
  [728, 90],
  [160, 600],
]
/** People who click and buy more often than most, with enough of them in one country to show a weekly pattern. */
const MIX = { countries: { CA: 5, US: 3, GB: 2, DE: 1 }, users: 4_000, ctr: 0.03, cvr: 0.2 }

export const ADVERTISERS: PastCustomer[] = [
  {
    body: {
      company: 'Blue Bikes (demo)',
      email: `ann@${DEMO_DOMAIN}`,
      name: 'Ann Rider',
      website: 'https://bluebikes.example/',
      timezone: 'America/Toronto',
    },
    art: { motif: 'wheels', dark: '#0b3d91', light: '#4fa3ff' },
    campaigns: [
      {
        name: 'City bikes',
        from: 0,
        daysAfter: { end: 30 },
        fields: { dailySpend: 3, cpm: 6.5, frequency: 8, pacing: 'even', category: ['IAB17-3'] },
        geos: ['CA'],
        sizes: ALL_SIZES,
        hasRejected: true,
      },
      {
        name: 'Helmets, a fixed budget',
        from: 0.2,
        daysAfter: { end: 14 },
        fields: { dailySpend: 1, totalSpend: 2, cpm: 8, pacing: 'asap', category: ['IAB17-3'] },
        geos: ['CA', 'US', 'GB'],
        sizes: [
          [300, 250],
          [320, 50],
        ],
      },
      {
        name: 'Summer sale',
        from: 0,
        to: 0.5,
        fields: { dailySpend: 2, cpm: 5, pacing: 'even', category: ['IAB17-3'] },
        geos: ['DE'],
        sizes: ALL_SIZES,
      },
      {
        name: 'Next season',
        from: 1,
        daysAfter: { start: 7, end: 37 },
        fields: { dailySpend: 5, cpm: 4, pacing: 'even', category: ['IAB17-3'] },
        geos: ['CA'],
        sizes: [[300, 250]],
      },
    ],
    notes: [
      { daysAgo: 17, text: 'Bike fair in Toronto' },
      { daysAgo: 4, text: 'Newsletter to all customers' },
    ],
    views: [
      { name: 'Spend by site', range: '28d', dimension: 'domain' },
      { name: 'Sales by city, this month', range: 'month', figure: 'value', dimension: 'city' },
    ],
  },
  {
    body: {
      company: 'Northern Coffee (demo)',
      email: `tom@${DEMO_DOMAIN}`,
      name: 'Tom Baker',
      website: 'https://northerncoffee.example/',
      timezone: 'Europe/Berlin',
      prepaid: true,
    },
    art: { motif: 'cup', dark: '#4a2511', light: '#d99a5b' },
    credit: 500,
    campaigns: [
      {
        name: 'Morning roast',
        from: 0,
        daysAfter: { end: 60 },
        fields: { dailySpend: 4, cpm: 6, frequency: 6, pacing: 'even', category: ['IAB8'] },
        geos: ['US', 'GB'],
        cat: ['IAB8', 'IAB12'],
        sizes: ALL_SIZES,
      },
      {
        name: 'A cup for everybody',
        from: 0.1,
        daysAfter: { end: 60 },
        fields: { dailySpend: 50, cpm: 1.2, pacing: 'asap', category: ['IAB8'] },
        geos: ['CA', 'US', 'GB', 'DE'],
        sizes: ALL_SIZES,
      },
      {
        name: 'Subscriptions',
        from: 0.3,
        daysAfter: { end: 60 },
        fields: { dailySpend: 10, cpm: 3, enabled: false, category: ['IAB8'] },
        geos: ['US'],
        sizes: [[728, 90]],
      },
    ],
    notes: [{ daysAgo: 10, text: 'New prices in the shop' }],
    views: [{ name: 'Sales by device', range: '28d', figure: 'value', dimension: 'device' }],
  },
]

/** More customers, so that staff have a list to look through. */
const OTHERS = [
  'Alder Books, Birch Furniture, Cedar Tools, Daisy Flowers, Elm Street Bakery, Fern Gardens, Grove Cinema, Harbour Hotels',
  'Ivy Fashion, Juniper Spirits, Kelp Surf Club, Lark Travel, Maple Motors, Nettle Tea, Oak Insurance, Poppy Toys',
  'Quince Kitchens, Reed Music, Sorrel Foods, Thistle Outdoor, Umber Paints, Violet Optics, Willow Yoga',
].flatMap(line => line.split(', '))

/** A small customer, not the same for all: most campaigns run, some have ended, one is paused, one begins later. */
function smallCustomer(company: string, at: number): PastCustomer {
  const website = `https://${company.toLowerCase().replaceAll(' ', '-')}.example/`
  const hasEnded = at % 6 === 5
  const isLater = at === 13
  return {
    body: { company, email: `customer-${at + 1}@${DEMO_DOMAIN}`, website },
    campaigns: [
      {
        name: ['Always on', 'This season', 'New customers'][at % 3]!,
        from: isLater ? 1 : hasEnded ? 0 : (at % 4) / 5,
        ...(hasEnded ? { to: 0.8 } : { daysAfter: { end: 30, ...(isLater ? { start: 10 } : {}) } }),
        fields: { dailySpend: 0.01, cpm: 1.5 + (at % 5) / 2, enabled: at !== 7 },
        geos: [['US'], ['GB'], ['US', 'GB'], ['DE']][at % 4]!,
        sizes: [[300, 250]],
      },
    ],
  }
}

/** The first advertisers, whose banners are drawn. */
export async function demoCustomers(app: Client): Promise<{ cuid: number; email: string }[]> {
  const found = []
  for await (const { cuid, email } of app.each.listCustomers())
    if (email.endsWith(`@${DEMO_DOMAIN}`)) found.push({ cuid, email })
  return found
}

/** Returns false if there is already a demo. */
export async function buildHistory(
  app: Client,
  baseUrl: string,
  { days, perHour, onProgress }: HistoryOptions,
): Promise<boolean> {
  if ((await demoCustomers(app)).length > 0) return false
  const sandbox = createSandbox(app)
  const { now: startS } = await sandbox.clock()
  const cuids = new Map<PastCustomer, number>()
  for (const advertiser of [...ADVERTISERS, ...OTHERS.map(smallCustomer)])
    cuids.set(advertiser, await makeAdvertiser(app, baseUrl, advertiser, { startS, days }))
  // Time for the reviews.
  await sandbox.advance({ minutes: 15 })
  const endS = startS + days * DAY_S + LAST_HOURS * 3600
  await letVisitorsCome(sandbox, { endS, perHour, onProgress })
  for (const [advertiser, cuid] of cuids) await writeDown(app, cuid, advertiser, endS)
  return true
}

async function writeDown(
  app: Client,
  cuid: number,
  { notes = [], views = [] }: PastCustomer,
  nowS: number,
): Promise<void> {
  for (const { daysAgo, text } of notes) {
    const day = new Date((nowS - daysAgo * DAY_S) * 1000).toISOString().slice(0, 10)
    await app.createNote({ cuid, body: { day, text } })
  }
  for (const body of views) await app.createSavedView({ cuid, body })
}

async function letVisitorsCome(
  sandbox: Sandbox,
  { endS, perHour, onProgress }: { endS: number; perHour: number; onProgress(part: number): void },
): Promise<void> {
  const { now: fromS } = await sandbox.clock()
  for (let now = fromS; now < endS; ) {
    const to = Math.min(endS, now + DAYS_AT_ONCE * DAY_S)
    await sandbox.traffic({ to, perHour, mix: MIX })
    now = to
    onProgress((now - fromS) / (endS - fromS))
  }
}

async function makeAdvertiser(
  app: Client,
  baseUrl: string,
  { body, art, credit, campaigns }: PastCustomer,
  { startS, days }: { startS: number; days: number },
): Promise<number> {
  const { cuid } = await app.createCustomer({ body })
  if (credit)
    await app.creditCustomer({ cuid, body: { amount: credit, reference: 'demo-1', note: 'By bank' } })
  for (const { name, from, to, daysAfter = {}, fields, geos, cat, sizes, hasRejected } of campaigns) {
    const dayS = (day: number) => startS + Math.round(day) * DAY_S
    const start = daysAfter.start === undefined ? dayS(from * days) : dayS(days + daysAfter.start)
    const end = to === undefined ? dayS(days + (daysAfter.end ?? 1)) : dayS(to * days)
    const { cid } = await app.createCampaign({ cuid, body: { ...fields, name, start, end } })
    const persona = { name: `${name}: everybody`, geo: { geos }, device: EVERYWHERE, ...(cat ? { cat } : {}) }
    const { pid } = await app.createPersona({ cuid, cid, body: persona })
    const where = { cuid, cid, pid }
    const website = body.website!
    const byUrl = (title: string, image: string) =>
      app.createBanner({
        ...where,
        body: { name: title, creativeURL: `${baseUrl}/sandbox/image/${image}.png`, clickUrl: website },
      })
    for (const size of sizes) {
      const title = `${name} ${size.join('x')}`
      if (art) await uploadBanner(app, { ...where, name: title }, { art, website }, size)
      else await byUrl(title, `approved/${size.join('x')}`)
    }
    if (hasRejected) await byUrl(`${name}, too wide`, 'rejected/300x250')
  }
  return cuid
}

/** Draws and uploads an image, and creates a banner with it. */
async function uploadBanner(
  app: Client,
  { name, ...where }: { cuid: number; cid: number; pid: number; name: string },
  { art, website }: { art: Art; website: string },
  [width, height]: [number, number],
): Promise<void> {
  const image = new Blob([await drawBanner(art, width, height)], { type: 'image/png' })
  const { creativeURL } = await app.uploadCreative({ cuid: where.cuid, body: image })
  const clickUrl = `${website}?utm_content=${encodeURIComponent(name)}`
  await app.createBanner({ ...where, body: { creativeURL, name, clickUrl } })
}
