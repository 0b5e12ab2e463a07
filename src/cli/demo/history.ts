// The demo of a sandbox: shops with weeks of history, in which their people create and change campaigns, and visitors
// come, click and buy. Everything goes through the ordinary API and the visitors of the sandbox, each of whom stands
// for many, so the same seed and start give the same figures.

import { type Client, createClient } from '../../../sdk/client.ts'
import { createSandbox, type Sandbox } from '../../../sdk/sandbox.ts'
import { drawBanner } from './images.ts'
import { type Ad, ALDER, DAISY, type Edit, GROVE, type Person, type Plan, SHOPS, type Shop } from './shops.ts'

export interface HistoryOptions {
  /** The length of the history in days; today comes on top. */
  days: number
  /** From 0 to 1. */
  onProgress(part: number): void
}

const DAY_S = 86_400
/** The last day is not over, so that today has figures. */
const LAST_HOURS = 18
/** Each call has a fixed cost, and the progress bar moves with each call. */
const DAYS_AT_ONCE = 3
/** How many people a visitor stands for. */
const CROWD = 64
/** The part of requests whose ad is seen: some auctions are lost. */
const SEEN = 0.9
/** What visitors are worth to a campaign, as a part of its budget; so much less it was 60 days ago. */
const USE = 0.88
const GROWTH = 0.25
const EVERYWHERE = { mobile: true, tablet: true, desktop: true }
const SIZES: [width: number, height: number][] = [
  [300, 250],
  [320, 50],
  [728, 90],
  [160, 600],
]
export const MIX = { users: 6_000, ctr: 0.0036, cvr: 0.026, value: { from: 60, to: 250 } }
const ENOUGH = 2_400
/** Daisy Flowers pays late: what it spends a day, and what it has a day before the end. */
const DAISY_A_DAY = 12
const LOW_SOON = 20
/** People write a campaign in the afternoon before it begins, and need a while for each. */
const WRITTEN_BEFORE_S = 7 * 3600
const A_WHILE_S = 41 * 60
const SIGNED_IN_S = 6 * 3600
const SITES = ['daily-courier.example', 'weekend-paper.example', 'city-guide.example', 'good-recipes.example']

interface Running {
  shop: Shop
  plan: Plan
  cid: number
  /** With the widths of banners that their devices show. */
  personas: { pid: number; sizes: number[] }[]
  startS: number
  endS: number
}

/** What happens at its time: the visitors come up to it first. */
interface Happening {
  atS: number
  run(): Promise<unknown>
}

interface World {
  app: Client
  sandbox: Sandbox
  as(person: Person): Promise<Client>
  cuids: Map<Shop, number>
  running: Running[]
  /** By banner. */
  appeal: Record<string, number>
  startS: number
  endS: number
}

/** Returns false if there are customers already. */
export async function buildHistory(
  app: Client,
  baseUrl: string,
  { days, onProgress }: HistoryOptions,
): Promise<boolean> {
  if ((await app.listCustomers({ limit: 1 })).length > 0) return false
  const sandbox = createSandbox(app)
  const { now: startS } = await sandbox.clock()
  const endS = startS + days * DAY_S + LAST_HOURS * 3600
  const as = createPeople(baseUrl, sandbox)
  const world: World = { app, sandbox, as, cuids: new Map(), running: [], appeal: {}, startS, endS }
  for (const shop of SHOPS) await openShop(world, shop)
  const happenings = [...SHOPS.flatMap(shop => happeningsOf(world, shop)), ...incidents(world)]
  let nowS = startS
  for (const { atS, run } of [...happenings, { atS: endS, run: () => writeDown(world) }].toSorted(
    (a, b) => a.atS - b.atS,
  )) {
    for (; nowS < atS; nowS = Math.min(atS, nowS + DAYS_AT_ONCE * DAY_S)) {
      await letVisitorsCome(world, nowS, Math.min(atS, nowS + DAYS_AT_ONCE * DAY_S))
      onProgress((nowS - startS) / (endS - startS))
    }
    await run()
  }
  onProgress(1)
  return true
}

async function openShop({ app, cuids, startS, endS }: World, shop: Shop): Promise<void> {
  const [owner, ...others] = shop.people
  const { company, website, zone: timezone, isPrepaid: prepaid = false } = shop
  const who = { name: owner!.name, email: owner!.email }
  const { cuid } = await app.createCustomer({ body: { ...who, company, website, timezone, prepaid } })
  await app.editMailChoices({ cuid, body: { report: 'weekly' } })
  for (const { name, email, role } of others) await app.addMember({ cuid, body: { name, email, role } })
  if (prepaid) {
    const days = Math.min((endS - startS) / DAY_S, shop.plans[0]!.ago.start)
    const amount = shop === DAISY ? Math.round(days * DAISY_A_DAY) : ENOUGH
    await app.creditCustomer({ cuid, body: { amount, reference: 'invoice-1', note: 'Bank transfer' } })
  }
  cuids.set(shop, cuid)
}

/** What a shop's people do. What was before the history begins happens at its beginning, one after the other. */
function happeningsOf(world: World, shop: Shop): Happening[] {
  const { startS, endS } = world
  const dayOf = (ago: number) => Math.floor((endS - ago * DAY_S) / DAY_S) * DAY_S
  const plans = shop.plans.filter(({ ago }) => dayOf(ago.end) > startS)
  const begun = plans.flatMap((plan, n) => {
    const dates = { startS: Math.max(startS, dayOf(plan.ago.start)), endS: dayOf(plan.ago.end) }
    const createdS = Math.min(dates.startS - WRITTEN_BEFORE_S, endS - 2 * DAY_S) + n * A_WHILE_S
    const edges = [dates.startS, dates.endS].filter(atS => atS > startS && atS < endS)
    return [
      { atS: Math.max(createdS, startS + n * A_WHILE_S), run: () => begin(world, shop, plan, dates) },
      ...edges.map(atS => ({ atS, run: async () => {} })),
      ...plan.ads
        .filter(ad => isLater(world, ad))
        .map(ad => ({ atS: endS - ad.added!.ago * DAY_S, run: () => addAd(world, shop, plan, ad) })),
    ]
  })
  const edits = (shop.edits ?? []).map(edit => ({
    atS: endS - edit.ago * DAY_S,
    run: () => change(world, shop, edit),
  }))
  return [...begun, ...edits.filter(({ atS }) => atS > startS)]
}

async function begin(
  world: World,
  shop: Shop,
  plan: Plan,
  dates: { startS: number; endS: number },
): Promise<void> {
  const cuid = world.cuids.get(shop)!
  const client = await world.as(shop.people[plan.by ?? 0]!)
  const { startS: start, endS: end } = dates
  const { cid } = await client.createCampaign({ cuid, body: { ...plan.fields, name: plan.name, start, end } })
  const town = plan.place.split('-').at(-1)!
  const audiences = plan.isSplit
    ? { [`${town}, on the road`]: { mobile: true }, [`${town}, at home`]: { tablet: true, desktop: true } }
    : { [town]: EVERYWHERE }
  const personas: Running['personas'] = []
  for (const [name, device] of Object.entries(audiences)) {
    const body = { name, geo: { geos: [plan.place] }, device }
    const { pid } = await client.createPersona({ cuid, cid, body })
    const isShown = ([width]: [number, number]) =>
      width === 300 || ('mobile' in device && width === 320) || ('desktop' in device && width !== 320)
    personas.push({ pid, sizes: SIZES.filter(isShown).map(([width]) => width) })
  }
  world.running.push({ shop, plan, cid, personas, ...dates })
  for (const ad of plan.ads) if (!isLater(world, ad)) await addAd(world, shop, plan, ad)
}

function isLater({ startS, endS }: World, { added }: Ad): boolean {
  return added !== undefined && endS - added.ago * DAY_S > startS
}

/** A banner of each size for each persona. */
async function addAd(world: World, shop: Shop, plan: Plan, ad: Ad): Promise<void> {
  const cuid = world.cuids.get(shop)!
  const { cid, personas } = runningOf(world, shop, plan.name)!
  const client = await world.as(shop.people[ad.added?.by ?? plan.by ?? 0]!)
  const variant = shop.company.length + plan.name.length + plan.ads.indexOf(ad)
  const look = { ...shop.look, product: plan.product ?? shop.look.product }
  const uploads = SIZES.map(async ([width, height]) => {
    const image = await drawBanner(look, { ...ad, variant }, width, height)
    return client.uploadCreative({ cuid, body: new Blob([image], { type: 'image/png' }) })
  })
  const creatives = await Promise.all(uploads)
  for (const [n, [width, height]] of SIZES.entries()) {
    const { creativeURL } = creatives[n]!
    const body = { creativeURL, name: `${ad.claim}, ${width}x${height}`, clickUrl: shop.website }
    for (const { pid, sizes } of personas) {
      if (!sizes.includes(width)) continue
      const { bid } = await client.createBanner({ cuid, cid, pid, body })
      if (ad.appeal) world.appeal[bid] = ad.appeal
    }
  }
}

function runningOf({ running }: World, shop: Shop, name: string): Running | undefined {
  return running.find(one => one.shop === shop && one.plan.name === name)
}

async function change(world: World, shop: Shop, { by, campaign, set, proposed }: Edit): Promise<void> {
  const one = runningOf(world, shop, campaign)
  if (!one) return
  const client = await world.as(shop.people[by]!)
  const call = { cuid: world.cuids.get(shop)!, cid: one.cid, body: set }
  if (proposed) await client.editCampaign({ ...call, propose: true })
  else {
    await client.editCampaign(call)
    one.plan = { ...one.plan, fields: { ...one.plan.fields, ...set } as Plan['fields'] }
  }
}

/** What goes wrong, or waits for somebody. */
function incidents(world: World): Happening[] {
  const { app, as, cuids, endS } = world
  const at = (ago: number, run: () => Promise<unknown>) => ({ atS: endS - ago * DAY_S, run })
  const cuidOf = (shop: Shop) => cuids.get(shop)!
  return [
    at(2.4, () => app.editCustomer({ cuid: cuidOf(GROVE), body: { review: 'manual' } })),
    at(2.1, () =>
      addAd(world, GROVE, GROVE.plans[0]!, { claim: 'Lenses in one hour', button: 'Book a test' }),
    ),
    at(1.7, async () => {
      const [first] = await app.listQueue()
      const body = { round: first!.round, reason: 'The shop does not say anywhere that it takes one hour.' }
      await app.rejectBanner({ bid: first!.bid, body })
    }),
    at(1.4, async () => {
      await (await as(ALDER.people[0]!)).freezeCustomer({ cuid: cuidOf(ALDER) })
      world.running = world.running.filter(({ shop }) => shop !== ALDER)
    }),
    at(1, async () => {
      const { balance } = await app.readAccount({ cuid: cuidOf(DAISY) })
      const amount = Math.max(10, Math.round(LOW_SOON - balance!))
      await app.creditCustomer({
        cuid: cuidOf(DAISY),
        body: { amount, reference: 'invoice-2', note: 'By card' },
      })
    }),
  ]
}

async function writeDown({ cuids, as, endS }: World): Promise<void> {
  for (const [shop, cuid] of cuids) {
    const { notes = [], views = [], people } = shop
    if (notes.length + views.length === 0) continue
    const client = await as(people[0]!)
    for (const { ago, text } of notes) {
      const day = new Date((endS - ago * DAY_S) * 1000).toISOString().slice(0, 10)
      await client.createNote({ cuid, body: { day, text } })
    }
    for (const body of views) await client.createSavedView({ cuid, body })
  }
}

/** As many to each place as its campaigns can pay for, a few more from week to week. */
async function letVisitorsCome(world: World, fromS: number, toS: number): Promise<void> {
  const places: Record<string, number> = {}
  for (const { plan, startS, endS } of world.running) {
    if (startS > fromS || endS <= fromS || plan.use === 0) continue
    const { dailySpend, cpm } = plan.fields
    const weeksAgo = (world.endS - fromS) / DAY_S / 60
    const daily = ((dailySpend / cpm!) * 1000 * USE * (1 - GROWTH * weeksAgo)) / CROWD / SEEN
    places[plan.place] = (places[plan.place] ?? 0) + daily
  }
  const daily = Object.values(places).reduce((sum, weight) => sum + weight, 0)
  if (daily === 0) await world.sandbox.advanceTo(toS)
  else
    await world.sandbox.traffic({
      ...{ to: toS, perHour: daily / 24, crowd: CROWD, sites: SITES },
      mix: { ...MIX, places, ...(Object.keys(world.appeal).length > 0 ? { appeal: world.appeal } : {}) },
    })
}

/** People who sign in to the console by passcode, again after each pause. */
function createPeople(baseUrl: string, sandbox: Sandbox): World['as'] {
  const signedIn = new Map<string, { client: Client; untilS: number }>()
  const post = (path: string, body: object) =>
    fetch(baseUrl + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-marquee-csrf': '1', origin: baseUrl },
      body: JSON.stringify(body),
    })
  return async ({ email }) => {
    const { now } = await sandbox.clock()
    const known = signedIn.get(email)
    if (known && known.untilS > now) return known.client
    const asked = await post('/console/api/passcode', { email })
    const { request } = (await asked.json()) as { request: string }
    let passcode: string | undefined
    while (!passcode) {
      const mails = await sandbox.outbox(email)
      // The one before is older: people ask again after hours.
      const mail = mails.findLast(({ time, subject }) => time >= now && /^\d{6} /.test(subject))
      passcode = mail?.subject.slice(0, 6)
    }
    const answer = await post('/console/api/session', { email, passcode, request })
    if (!answer.ok) throw new Error(`${email} could not sign in: ${await answer.text()}`)
    const cookie = answer.headers
      .getSetCookie()
      .map(set => set.split(';', 1)[0]!)
      .join('; ')
    const client = createClient({
      baseUrl,
      fetch: (url, init) => {
        const headers = new Headers(init?.headers)
        headers.set('cookie', cookie)
        headers.set('origin', baseUrl)
        return fetch(url, { ...init, headers })
      },
    })
    signedIn.set(email, { client, untilS: now + SIGNED_IN_S })
    return client
  }
}
