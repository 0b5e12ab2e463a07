// Brings the live catalog up to date with the database: completely at the start, by ids afterwards. Reading the same
// data again changes nothing, so every step can be repeated.

import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../kernel/time/clock.ts'
import type { Calendar } from '../../kernel/time/day.ts'
import type { Db } from '../../platform/database.ts'
import type { LiveCatalog } from './live-catalog.ts'
import {
  FIRST_PERSONAS,
  PAGE_ROWS,
  type PersonaRow,
  selectCampaignPage,
  selectCampaigns,
  selectFirstPersonas,
  selectPersonas,
  selectPersonasOf,
  selectTouched,
} from './queries.ts'
import { toLiveCampaign } from './rows.ts'
import { reloadChangedLists, reloadSiteLists, type SiteLists } from './site-lists.ts'

export interface ChangedIds {
  customer: Set<number>
  campaign: Set<number>
  flight: Set<number>
  persona: Set<number>
  banner: Set<number>
  site_list: Set<number>
}

/** Rows per turn of the event loop, so that requests are answered while a large campaign is loaded. */
const CHUNK = 32
/** Most campaigns have few personas: the first ones of this many campaigns are read together. */
const CAMPAIGNS_AT_ONCE = 100

/** The current time, the deployment's calendar for customers without a zone of their own, and the site lists. */
export interface Around {
  clock: Clock
  calendar: Calendar
  lists: SiteLists
}

/** Reads everything by pages, and removes from memory what is no longer in the database. */
export async function reloadAll(db: Db, live: LiveCatalog, around: Around): Promise<void> {
  const { clock, calendar, lists } = around
  await reloadSiteLists(db, lists)
  const now = new Date(clock.nowMs())
  const cids = new Set<number>()
  await eachPage(
    0,
    after => selectCampaignPage(db, now, after),
    campaignId,
    row => {
      cids.add(row.cid)
      return live.setCampaign(toLiveCampaign(row, calendar, lists))
    },
  )
  await eachWithBreaks([...live.orders.keys()], cid => (cids.has(cid) ? undefined : live.removeCampaign(cid)))
  // By campaigns, not by all personas: most personas belong to campaigns that are over.
  const on = [...live.orders.values()].filter(({ campaign }) => campaign.enabled)
  await reloadPersonasOf(
    db,
    live,
    on.map(({ campaign }) => campaign.cid),
  )
}

export async function reloadChanged(
  db: Db,
  live: LiveCatalog,
  changed: ChangedIds,
  around: Around,
): Promise<void> {
  await reloadChangedLists(db, around.lists, changed.site_list)
  const touched = await touchedBy(db, changed)
  // A customer's change may concern the website to which its banners lead, so its personas are read again, too.
  const whole = changed.customer.size > 0 ? touched.cids : new Set<number>()
  const cids = [...new Set([...changed.campaign, ...touched.cids])]
  for (const some of chunks(cids, PAGE_ROWS)) await reloadCampaigns(db, live, some, whole, around)
  const pids = [...new Set([...changed.persona, ...touched.pids])]
  for (const some of chunks(pids, PAGE_ROWS)) await reloadPersonas(db, live, some)
}

/** Reads a part at a time: one statement for a long backlog could hit the statement timeout. */
async function touchedBy(db: Db, changed: ChangedIds): Promise<{ cids: Set<number>; pids: Set<number> }> {
  const customers = chunks([...changed.customer], PAGE_ROWS)
  const flights = chunks([...changed.flight], PAGE_ROWS)
  const banners = chunks([...changed.banner], PAGE_ROWS)
  const cids = new Set<number>()
  const pids = new Set<number>()
  for (let i = 0; i < Math.max(customers.length, flights.length, banners.length); i++) {
    const touched = await selectTouched(db, {
      customers: customers[i] ?? [],
      flights: flights[i] ?? [],
      banners: banners[i] ?? [],
    })
    for (const cid of touched.cids) cids.add(cid)
    for (const pid of touched.pids) pids.add(pid)
  }
  return { cids, pids }
}

async function reloadCampaigns(
  db: Db,
  live: LiveCatalog,
  cids: number[],
  whole: ReadonlySet<number>,
  { clock, calendar, lists }: Around,
): Promise<void> {
  const rows = await selectCampaigns(db, new Date(clock.nowMs()), cids)
  const found = new Set(rows.map(campaignId))
  // Campaigns that stop delivering come first, because they must not wait for slow loads.
  await eachWithBreaks(cids, cid => (found.has(cid) ? undefined : live.removeCampaign(cid)))
  await eachWithBreaks(rows, row =>
    row.enabled && !row.frozen ? undefined : live.setCampaign(toLiveCampaign(row, calendar, lists)),
  )
  const toLoad: number[] = []
  await eachWithBreaks(rows, async row => {
    if (!row.enabled) return
    const mustLoad = await live.setCampaign(toLiveCampaign(row, calendar, lists))
    if (mustLoad || whole.has(row.cid)) toLoad.push(row.cid)
  })
  await reloadPersonasOf(db, live, toLoad)
}

/** The next campaigns are read while some are processed, so that database and process work at the same time. */
async function reloadPersonasOf(db: Db, live: LiveCatalog, cids: number[]): Promise<void> {
  const all = chunks(cids, CAMPAIGNS_AT_ONCE)
  const read = (some: number[] | undefined) => {
    const rows = some && selectFirstPersonas(db, some)
    // The next round's await handles its failure; until then it must not count as unhandled.
    rows?.catch(() => undefined)
    return rows
  }
  let next = read(all[0])
  for (const [i, some] of all.entries()) {
    const rows = await next!
    next = read(all[i + 1])
    const gone = new Set(some.flatMap(cid => [...(live.orders.get(cid)?.pids ?? [])]))
    const put = (row: PersonaRow) => {
      gone.delete(row.pid)
      live.setPersona(row)
    }
    await eachWithBreaks(rows, put)
    for (const [cid, after] of unfinished(rows))
      await eachPage(after, last => selectPersonasOf(db, cid, last), personaId, put)
    await eachWithBreaks(gone, pid => live.removePersona(pid))
  }
}

/** Campaigns that may have more personas, each with the last one that was read. */
function* unfinished(rows: PersonaRow[]): Generator<[cid: number, after: number]> {
  const counts = new Map<number, number>()
  for (const { cid, pid } of rows) {
    const count = (counts.get(cid) ?? 0) + 1
    counts.set(cid, count)
    if (count === FIRST_PERSONAS) yield [cid, pid]
  }
}

async function reloadPersonas(db: Db, live: LiveCatalog, pids: number[]): Promise<void> {
  const rows = await selectPersonas(db, pids)
  const found = new Set(rows.map(personaId))
  await eachWithBreaks(pids, pid => (found.has(pid) ? undefined : live.removePersona(pid)))
  await eachWithBreaks(rows, row => live.setPersona(row))
}

const campaignId = (row: { cid: number }) => row.cid
const personaId = (row: { pid: number }) => row.pid

/** The next page is read while one is processed, so that database and process work at the same time. */
async function eachPage<Row>(
  first: number,
  read: (after: number) => Promise<Row[]>,
  idOf: (row: Row) => number,
  work: (row: Row) => unknown,
): Promise<void> {
  let next: Promise<Row[]> | null = read(first)
  while (next) {
    const rows: Row[] = await next
    next = rows.length < PAGE_ROWS ? null : read(idOf(rows.at(-1)!))
    // The next round's await handles its failure; until then it must not count as unhandled.
    next?.catch(() => undefined)
    await eachWithBreaks(rows, work)
  }
}

/** Works through the items one by one, with breaks in which requests are answered. */
async function eachWithBreaks<T>(items: Iterable<T>, work: (item: T) => unknown): Promise<void> {
  let done = 0
  for (const item of items) {
    const working = work(item)
    if (working instanceof Promise) await working
    if (++done % CHUNK === 0) await setImmediate()
  }
}

function chunks(ids: number[], size: number): number[][] {
  const parts: number[][] = []
  for (let at = 0; at < ids.length; at += size) parts.push(ids.slice(at, at + size))
  return parts
}
