// What the service does with many campaigns, by its own verbs. Each piece of work says how many campaigns, or rows to be
// counted, its largest statement is about, and how many rows of plans each of them may cost.

import { type Ask, MOST_ASKS, MOST_POOLED_ASKS } from '../../src/budget/shares/share.ts'
import { BY_KEYS, createShareStore, sweepShares } from '../../src/budget/shares/shares.ts'
import { inTx } from '../../src/changes/tx.ts'
import { foldDue } from '../../src/count/fold/fold.ts'
import { createIngest } from '../../src/count/ingest/ingest.ts'
import { beginWalk, packSome } from '../../src/count/pack/pack.ts'
import type { ServedAd } from '../../src/count/tracking/ad.ts'
import { createPlaces } from '../../src/count/tracking/places.ts'
import { createLiveCatalog } from '../../src/deliver/catalog/live-catalog.ts'
import { reloadAll, reloadChanged } from '../../src/deliver/catalog/reload.ts'
import { createSiteLists } from '../../src/deliver/catalog/site-lists.ts'
import { listIssuesOfAll, readCockpit, searchCampaigns } from '../../src/diagnose/cockpit/cockpit.ts'
import { createPictures } from '../../src/diagnose/cockpit/pictures.ts'
import { listIssues } from '../../src/diagnose/issues/issues.ts'
import { calendarOf } from '../../src/kernel/time/day.ts'
import { DAY_MS } from '../../src/kernel/time/units.ts'
import { listCampaigns, listOf } from '../../src/manage/campaigns/campaigns.ts'
import { CAMPAIGN_STATUSES } from '../../src/manage/campaigns/contract.ts'
import { recordStopped } from '../../src/notify/mails/news.ts'
import { sumByCampaign } from '../../src/notify/mails/report-queries.ts'
import { createWatch } from '../../src/notify/webhooks/watch.ts'
import type { Database } from '../../src/platform/database.ts'
import { accounts, creditCustomer, readAccount } from '../../src/report/accounts/accounts.ts'
import { statement } from '../../src/report/accounts/statement.ts'
import { breakdown, dimensionsOf } from '../../src/report/figures/breakdown.ts'
import { findSubject, summary, timeseries } from '../../src/report/figures/report.ts'
import { zoneOfSetting } from '../../src/report/figures/zone.ts'
import { report } from '../../src/report/resellers/reports.ts'
import {
  APP,
  BID,
  CID,
  CUID,
  dayKey,
  FID,
  fillFresh,
  LARGE_PART,
  largeCampaigns,
  NODE,
  PID,
} from './world.ts'

/** What takes longer is wrong, however slow the machine is, and is not waited for. */
export const MOST_MS = 120_000

/** At a moment of a world with so many campaigns. */
export interface Scene {
  db: Database
  nowMs: number
  campaigns: number
  /** No two pieces of work report the same ads. */
  nextAd: () => number
}

export interface Work {
  name: string
  settings?: Record<string, string>
  /** What the largest statement is about. */
  about: (scene: Scene) => number
  mostRows: number
  /** Made once per session, if it keeps something. */
  prepare?: (scene: Scene) => Promise<unknown>
  run: (scene: Scene) => Promise<unknown>
}

const BATCH = 1000
const UTC = zoneOfSetting('UTC')
const NO_SINK = { putPersona() {}, removePersona() {}, setCampaign() {}, removeCampaign() {} }

const all = ({ campaigns }: Scene) => campaigns
const large = ({ campaigns }: Scene) => largeCampaigns(campaigns)
const one = () => 1
const upTo = (most: number) => (scene: Scene) => Math.min(most, scene.campaigns)
const clockOf = ({ nowMs }: Scene) => ({ nowMs: () => nowMs })
const partsOf = (scene: Scene) => ({
  clock: clockOf(scene),
  calendar: calendarOf('UTC'),
  defaultCpmMicros: 1_000_000,
})

/** Numbers of campaigns, spread over all of them. */
function some(scene: Scene, most: number): number[] {
  const count = Math.min(most, scene.campaigns)
  return Array.from({ length: count }, (_, i) => Math.floor((i * scene.campaigns) / count))
}

function askOf({ nowMs }: Scene, n: number, isNew: boolean): Ask {
  return {
    cid: CID + n,
    payer: 0,
    dayKey: dayKey(nowMs),
    targetMicros: 30_000,
    leastMicros: 1000,
    reservedMicros: 7,
    rateMicros: 8,
    meanMicros: 9,
    endedMicros: 10,
    line: { fromMs: 11, spentMicros: 12 },
    isNew,
  }
}

function move(isNew: boolean): Work['run'] {
  return scene => {
    const dayMs = scene.nowMs + (isNew ? DAY_MS : 0)
    const asks = some(scene, MOST_ASKS).map(n => askOf({ ...scene, nowMs: dayMs }, n, isNew))
    return createShareStore(scene.db, 60_000).move({ nodeId: NODE, epoch: 1 }, asks)
  }
}

function adOf(scene: Scene, n: number): ServedAd {
  const bytes = Buffer.alloc(12)
  bytes.writeUInt32BE(scene.nextAd(), 0)
  return {
    adId: bytes.toString('base64url'),
    servedS: Math.floor(scene.nowMs / 1000),
    cuid: n % LARGE_PART === 0 ? CUID : CUID + 1 + (n % 400),
    ...{ cid: CID + n, fid: FID + n, pid: PID + n, bid: BID + n },
    ...{
      sourceId: 1,
      priceMicros: 1,
      ttlS: 300,
      dayKey: dayKey(scene.nowMs),
      nodeId: NODE,
      flightPays: false,
    },
    user: { hi: 1, lo: n },
    ...{ placeHash: 1 + (n % 50), placeName: null, networkHash: null, agentHash: null },
    ...{ country: 'CA', locality: 0, audience: 17, device: 'mobile', os: 'iOS' },
    ...{ test: false, foreignDomain: false, billsOn: 'pixel', takesPrice: false },
  }
}

/** Impressions, some of capped campaigns and all promised by another node; then views of the same ads. */
async function ingest(scene: Scene): Promise<void> {
  const write = createIngest({ db: scene.db, timeZone: 'UTC', places: createPlaces({ maxPlaces: 100 }) })
  const events = some(scene, BATCH).map((n, at) => ({
    ad: adOf(scene, n),
    kind: 'impression' as const,
    atMs: scene.nowMs,
    spendMicros: 1,
    freq: at % 2 === 0 ? 0 : 1_000_000,
  }))
  for (const kind of ['impression', 'click', 'view'] as const)
    await write({ events: events.map(event => ({ ...event, kind })), actions: [], ignored: [] })
  const actions = events.map(({ ad, atMs }) => ({
    ...{ ad, creditedTo: 'click' as const, dedupe: `o:${ad.adId}`, byPixel: false, atMs, name: 'buy' },
    valueMicros: 1_000_000,
  }))
  await write({ events: [], actions, ignored: [] })
}

/** The part with the large customer's rows, in one step. */
async function fold(scene: Scene): Promise<void> {
  await fillFresh(scene.db, scene.nowMs, 0, scene.campaigns)
  await scene.db.run(
    `update fresh_part set emptied_at = case when 'fresh_' || part = (
       select tableoid::regclass::text from fresh where cuid = $1 limit 1
     ) then now() - interval '1 day' else now() end`,
    [CUID],
  )
  await foldDue(scene.db, { limitMs: MOST_MS })
}

/** A campaign, persona or banner is deleted and comes back. */
async function hide(scene: Scene): Promise<void> {
  const n = scene.campaigns - 1
  for (const at of [new Date(scene.nowMs), null]) {
    await scene.db.run('update campaign set deleted_at = $2 where cid = $1', [CID + n, at])
    await scene.db.run('update persona set deleted_at = $2 where pid = $1', [PID + n, at])
    await scene.db.run('update banner set deleted_at = $2 where bid = $1', [BID + n, at])
  }
}

async function figures(scene: Scene, id: number): Promise<void> {
  const subject = await findSubject(scene.db, CUID, String(id))
  await summary(scene.db, subject, {})
  await timeseries(scene.db, subject, {}, { clock: clockOf(scene), zone: UTC })
  for (const dimension of dimensionsOf(subject)) await breakdown(scene.db, subject, dimension, {}, UTC)
}

async function filtered(scene: Scene): Promise<void> {
  const of = (filter: object) => listOf(scene.db, CUID, filter, partsOf(scene))(0, 20)
  for (const status of CAMPAIGN_STATUSES) await of({ status })
  await of({ q: 'nobody' })
}

async function changed(scene: Scene): Promise<void> {
  const ids = (first: number) => new Set(some(scene, 2000).map(n => first + n))
  const live = createLiveCatalog(NO_SINK)
  const none = new Set<number>()
  const changes = { campaign: ids(CID), flight: ids(FID), persona: ids(PID), banner: ids(BID) }
  const around = { ...partsOf(scene), lists: createSiteLists() }
  await reloadChanged(scene.db, live, { ...changes, customer: none, site_list: none }, around)
  await reloadChanged(
    scene.db,
    live,
    { campaign: none, flight: none, persona: none, banner: none, site_list: none, customer: new Set([CUID]) },
    around,
  )
}

/** A large customer pays in advance: begun, credited, its campaigns sold, read in every way, ended. Nothing of it stays. */
async function prepaid(scene: Scene): Promise<void> {
  const undo = new Error('undo')
  const parts = { ...partsOf(scene), currency: 'USD', timeZone: 'UTC' }
  const now = new Date(scene.nowMs)
  await inTx(scene.db, async tx => {
    await tx.run('update customer set prepaid = true where cuid = $1', [CUID])
    await accounts.begin(tx, CUID, now)
    await creditCustomer(tx, CUID, { amount: 1000, reference: 'r' }, 'operator', parts)
    const mine = some(scene, scene.campaigns).filter(n => n % LARGE_PART === 0)
    const asks = mine.slice(0, MOST_POOLED_ASKS).map(n => ({ ...askOf(scene, n, false), isPooled: true }))
    await createShareStore({ ...scene.db, ...tx }, 60_000).move({ nodeId: NODE, epoch: 1 }, asks)
    await readAccount(tx, CUID, 'USD')
    await listCampaigns(tx, { ...parts, cuid: CUID }, { after: 0, limit: 1000 })
    await listIssues(tx, { cuid: CUID, cid: null }, { ...parts, openAds: 200 })
    const customer = { cuid: CUID, company: 'c', externalId: null, metadata: {}, timezone: null }
    await statement(tx, customer as never, {}, parts)
    await accounts.end(tx, CUID, now)
    throw undo
  }).catch(error => {
    if (error !== undo) throw error
  })
}

const LIMITS = ['total_spend_micros', 'monthly_spend_micros']

/** A total, and a monthly budget, are set while campaigns run, and taken away. */
async function limits(scene: Scene): Promise<void> {
  const cids = some(scene, 20).map(n => CID + n)
  for (const limit of LIMITS)
    for (const micros of [50_000_000, null])
      for (const cid of cids)
        await scene.db.run(`update campaign set ${limit} = $2 where cid = $1`, [cid, micros])
}

/** Asks for shares of campaigns with both, and again when they have none. */
async function movePooled(scene: Scene): Promise<void> {
  const cids = some(scene, 20).map(n => CID + n)
  const store = createShareStore(scene.db, 60_000)
  for (const micros of [50_000_000, null]) {
    for (const limit of LIMITS)
      await scene.db.run(`update campaign set ${limit} = $2 where cid = any($1)`, [cids, micros])
    const asks = cids.map(cid => ({ ...askOf(scene, cid - CID, false), isPooled: true }))
    await store.move({ nodeId: NODE, epoch: 1 }, asks)
  }
}

const weekAgo = ({ nowMs }: Scene) => new Date(nowMs - 7 * DAY_MS)

export const WORKS: Work[] = [
  { name: 'shares: move', settings: BY_KEYS, about: upTo(MOST_ASKS), mostRows: 50, run: move(false) },
  { name: 'shares: a new day', settings: BY_KEYS, about: upTo(MOST_ASKS), mostRows: 50, run: move(true) },
  {
    name: 'shares: a dead node',
    settings: BY_KEYS,
    about: upTo(MOST_ASKS),
    mostRows: 50,
    run: ({ db }) => createShareStore(db, 60_000).reclaim(),
  },
  {
    name: 'shares: days that are over',
    about: all,
    mostRows: 20,
    run: scene => sweepShares(scene.db, dayKey(scene.nowMs - 6 * DAY_MS)),
  },
  { name: 'ingest', about: upTo(BATCH), mostRows: 50, run: ingest },
  { name: 'fold', about: large, mostRows: 300, run: fold },
  { name: 'pack', about: () => 500, mostRows: 200, run: s => packSome(s.db, beginWalk(s.nowMs, 3 * DAY_MS)) },
  {
    // A month from now fewer are left: all of them would take most of the time of this test.
    name: 'catalog: all',
    about: all,
    mostRows: 10,
    run: scene =>
      reloadAll(scene.db, createLiveCatalog(NO_SINK), {
        ...partsOf({ ...scene, nowMs: scene.nowMs + 30 * DAY_MS }),
        lists: createSiteLists(),
      }),
  },
  { name: 'catalog: changes', about: upTo(2000), mostRows: 30, run: changed },
  {
    name: 'lists: a page',
    about: scene => Math.min(1000, largeCampaigns(scene.campaigns)),
    mostRows: 30,
    run: scene => listCampaigns(scene.db, { ...partsOf(scene), cuid: CUID }, { after: 0, limit: 1000 }),
  },
  { name: 'lists: what fits', about: large, mostRows: 30, run: filtered },
  {
    name: 'issues',
    about: scene => Math.min(1000, largeCampaigns(scene.campaigns)),
    mostRows: 100,
    run: s =>
      listIssues(s.db, { cuid: CUID, cid: null }, { clock: clockOf(s), timeZone: 'UTC', openAds: 200 }),
  },
  {
    name: 'cockpit: all customers',
    about: all,
    mostRows: 100,
    run: async s => {
      for (const q of [undefined, 'c'])
        await readCockpit(
          s.db,
          { appId: APP, cuids: null },
          { limit: 100, ...(q ? { q } : {}) },
          { clock: clockOf(s), timeZone: 'UTC' },
          createPictures(),
        )
    },
  },
  {
    name: 'cockpit: campaigns of all customers by a text',
    about: all,
    mostRows: 20,
    run: async ({ db }) => {
      for (const q of ['c1', 'nothing']) await searchCampaigns(db, { appId: APP, cuids: null }, q)
    },
  },
  {
    name: 'cockpit: issues of a page of customers',
    about: all,
    mostRows: 50,
    run: s =>
      listIssuesOfAll(
        s.db,
        { appId: APP, cuids: null },
        { limit: 20 },
        { clock: clockOf(s), timeZone: 'UTC', openAds: 200 },
      ),
  },
  { name: 'statistics: a customer', about: large, mostRows: 200, run: scene => figures(scene, CUID) },
  { name: 'statistics: a campaign', about: large, mostRows: 10, run: scene => figures(scene, CID) },
  {
    name: 'statistics: all customers',
    about: all,
    mostRows: 100,
    run: async ({ db }) => {
      for (const by of ['customer', 'campaign', 'day'] as const)
        await report(db, { appId: APP, cuids: null }, { by }, { zone: UTC, currency: 'USD' })
    },
  },
  {
    name: 'mails: a report',
    about: large,
    mostRows: 100,
    run: scene => sumByCampaign(scene.db, CUID, weekAgo(scene), new Date(scene.nowMs), 20),
  },
  {
    name: 'mails: who has stopped',
    about: all,
    mostRows: 50,
    run: scene => recordStopped({ ...partsOf(scene), db: scene.db }),
  },
  {
    name: 'watch',
    about: all,
    mostRows: 50,
    run: async scene => {
      const look = createWatch({ ...partsOf(scene), db: scene.db })
      await look()
      await look()
    },
  },
  { name: 'accounts: a large customer', about: large, mostRows: 200, run: prepaid },
  { name: 'totals and months', about: one, mostRows: 200, run: limits },
  { name: 'shares of pools: move', settings: BY_KEYS, about: upTo(20), mostRows: 100, run: movePooled },
  { name: 'deletions', about: one, mostRows: 200, run: hide },
]
