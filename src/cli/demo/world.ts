// The demo's world: two advertisers with campaigns in every state, created through the ordinary API. Its customers are
// recognised by their email domain, so that they can be found again and removed.

import type { Client, InputOf } from '../../../sdk/client.ts'
import { type Art, drawBanner } from './images.ts'

export const DEMO_DOMAIN = 'demo.marquee.example'
const DAY_S = 86_400

type PersonaBody = InputOf<'createPersona'>['body']

interface DemoPersona extends PersonaBody {
  sizes: [width: number, height: number][]
}

interface DemoCampaign {
  name: string
  /** Days from now. */
  fromDay: number
  toDay: number
  dailySpend: number
  cpm: number
  frequency: number
  pacing: 'even' | 'asap'
  category: string[]
  enabled?: boolean
  personas: DemoPersona[]
}

interface DemoCustomer {
  company: string
  email: string
  name: string
  website: string
  art: Art
  campaigns: DemoCampaign[]
}

const EVERYWHERE = { mobile: true, tablet: true, desktop: true }
const HANDHELD = { mobile: true, tablet: true }

export const WORLD: DemoCustomer[] = [
  {
    company: 'Blue Bikes (demo)',
    email: `ann@${DEMO_DOMAIN}`,
    name: 'Ann Rider',
    website: 'https://bluebikes.example/',
    art: { motif: 'wheels', dark: '#0b3d91', light: '#4fa3ff' },
    campaigns: [
      {
        name: 'Spring bikes',
        fromDay: -1,
        toDay: 30,
        dailySpend: 60,
        cpm: 3.2,
        frequency: 8,
        pacing: 'asap',
        category: ['IAB17-3'],
        personas: [
          {
            name: 'Cyclists in Ontario',
            geo: { geos: ['CA-ON'] },
            cat: ['IAB17'],
            device: HANDHELD,
            demo: { age: { '18to34': true, '35to49': true } },
            sizes: [
              [300, 250],
              [320, 50],
            ],
          },
          {
            name: 'Around Berlin',
            geo: { radius: 30_000, geocode: [52.52, 13.405] },
            device: EVERYWHERE,
            sizes: [
              [300, 250],
              [728, 90],
            ],
          },
        ],
      },
      {
        name: 'Helmets, quickly',
        fromDay: -1,
        toDay: 14,
        dailySpend: 0.5,
        cpm: 2.1,
        frequency: 3,
        pacing: 'asap',
        category: ['IAB17-3'],
        personas: [
          {
            name: 'North America on the road',
            geo: { geos: ['CA', 'US'] },
            device: { mobile: true },
            sizes: [
              [320, 50],
              [300, 250],
            ],
          },
        ],
      },
      {
        name: 'Autumn preview',
        fromDay: 7,
        toDay: 40,
        dailySpend: 120,
        cpm: 2.5,
        frequency: 0,
        pacing: 'even',
        category: ['IAB17-3'],
        personas: [
          { name: 'Everybody in Canada', geo: { geos: ['CA'] }, device: EVERYWHERE, sizes: [[300, 250]] },
        ],
      },
    ],
  },
  {
    company: 'Northern Coffee (demo)',
    email: `tom@${DEMO_DOMAIN}`,
    name: 'Tom Baker',
    website: 'https://northerncoffee.example/',
    art: { motif: 'cup', dark: '#4a2511', light: '#d99a5b' },
    campaigns: [
      {
        name: 'Morning roast',
        fromDay: -1,
        toDay: 60,
        dailySpend: 80,
        cpm: 2.8,
        frequency: 6,
        pacing: 'asap',
        category: ['IAB8'],
        personas: [
          {
            name: 'Food readers in the US and UK',
            geo: { geos: ['US', 'GB'] },
            cat: ['IAB8', 'IAB12'],
            device: EVERYWHERE,
            sizes: [
              [300, 250],
              [728, 90],
              [160, 600],
            ],
          },
          {
            name: 'Women 18 to 49 in Toronto and New York',
            geo: { geos: ['CA-ON-Toronto', 'US-NY-New York'] },
            device: EVERYWHERE,
            demo: { gender: { female: true }, age: { '18to34': true, '35to49': true } },
            sizes: [
              [300, 250],
              [320, 50],
            ],
          },
        ],
      },
      {
        name: 'A cup for everybody',
        fromDay: -1,
        toDay: 60,
        dailySpend: 2000,
        cpm: 1.2,
        frequency: 0,
        pacing: 'even',
        category: ['IAB8'],
        personas: [
          {
            name: 'Everybody',
            geo: { geos: ['CA', 'US', 'GB', 'DE', 'FR'] },
            device: EVERYWHERE,
            sizes: [
              [300, 250],
              [728, 90],
            ],
          },
        ],
      },
      {
        name: 'Subscriptions',
        fromDay: -1,
        toDay: 60,
        dailySpend: 200,
        cpm: 1.9,
        frequency: 0,
        pacing: 'even',
        category: ['IAB8'],
        enabled: false,
        personas: [
          { name: 'Desktops at work', geo: { geos: ['US'] }, device: { desktop: true }, sizes: [[728, 90]] },
        ],
      },
    ],
  },
]

export interface MadeBanner {
  cuid: number
  cid: number
  pid: number
  bid: number
}

/** The demo's customers that already exist. */
export async function demoCustomers(app: Client): Promise<{ cuid: number; email: string }[]> {
  const found = []
  for await (const { cuid, email } of app.each.listCustomers()) {
    if (email.toLowerCase().endsWith(`@${DEMO_DOMAIN}`)) found.push({ cuid, email })
  }
  return found
}

/** The number of steps that `buildWorld` reports. */
export function worldSteps(): number {
  return WORLD.flatMap(customer => customer.campaigns)
    .flatMap(campaign => campaign.personas)
    .reduce((steps, persona) => steps + persona.sizes.length, 0)
}

/** Creates what does not exist yet, by name, so that it can be repeated after an interruption. */
export async function buildWorld(app: Client, nowS: number, onStep: () => void): Promise<MadeBanner[]> {
  const there = await demoCustomers(app)
  const banners: MadeBanner[] = []
  for (const customer of WORLD) {
    const { art, campaigns, ...body } = customer
    const known = there.find(item => item.email === customer.email)
    const cuid = known?.cuid ?? (await app.createCustomer({ body })).cuid
    const ofCustomer = await app.listCampaigns({ cuid })
    for (const campaign of campaigns) {
      const cid = named(ofCustomer, campaign.name)?.cid ?? (await makeCampaign(app, cuid, campaign, nowS)).cid
      const ofCampaign = await app.listPersonas({ cuid, cid })
      for (const { sizes, ...persona } of campaign.personas) {
        const pid =
          named(ofCampaign, persona.name)?.pid ?? (await app.createPersona({ cuid, cid, body: persona })).pid
        const ofPersona = await app.listBanners({ cuid, cid, pid })
        for (const size of sizes) {
          const name = `${campaign.name} ${size.join('x')}`
          const bid =
            named(ofPersona, name)?.bid ??
            (await uploadBanner(app, { cuid, cid, pid, name }, customer, size)).bid
          banners.push({ cuid, cid, pid, bid })
          onStep()
        }
      }
    }
  }
  return banners
}

function named<T extends { name: string }>(items: T[], name: string): T | undefined {
  return items.find(item => item.name === name)
}

function makeCampaign(app: Client, cuid: number, campaign: DemoCampaign, nowS: number) {
  const { personas: _, fromDay, toDay, ...fields } = campaign
  const dates = { start: nowS + fromDay * DAY_S, end: nowS + toDay * DAY_S }
  return app.createCampaign({ cuid, body: { ...fields, ...dates } })
}

/** Draws and uploads an image, and creates a banner with it. */
export async function uploadBanner(
  app: Client,
  { name, ...where }: { cuid: number; cid: number; pid: number; name: string },
  { art, website }: Pick<DemoCustomer, 'art' | 'website'>,
  [width, height]: [number, number],
) {
  const image = new Blob([await drawBanner(art, width, height)], { type: 'image/png' })
  const { creativeURL } = await app.uploadCreative({ cuid: where.cuid, body: image })
  const clickUrl = `${website}?utm_content=${encodeURIComponent(name)}`
  return app.createBanner({ ...where, body: { creativeURL, name, clickUrl } })
}

/** Waits until every banner is reviewed; throws if one is rejected or the reviews take too long. */
export async function awaitReviews(
  app: Client,
  banners: MadeBanner[],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs
  for (const banner of banners) {
    for (;;) {
      const { status, reasons } = await app.readBanner(banner, { signal })
      if (status === 'approved') break
      if (status === 'rejected') throw new Error(`banner ${banner.bid} was rejected: ${reasons.join(' ')}`)
      if (performance.now() > deadlineMs) throw new Error('the banners are still not reviewed')
      await new Promise(resolve => setTimeout(resolve, 200))
      signal.throwIfAborted()
    }
  }
}
