// Brings the shelf up to date with the database: whole at the start, by ids afterwards. Reading again what is known
// already changes nothing, so every step may be repeated.

import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../kernel/clock.ts'
import type { Db } from '../platform/database.ts'
import {
  PAGE_ROWS,
  type PersonaRow,
  selectCampaignPage,
  selectCampaigns,
  selectPersonaPage,
  selectPersonas,
  selectPersonasOf,
  selectTouched,
} from './queries.ts'
import { toLiveCampaign } from './rows.ts'
import type { Shelf } from './shelf.ts'

export interface ChangedIds {
  customer: Set<number>
  campaign: Set<number>
  flight: Set<number>
  persona: Set<number>
  banner: Set<number>
}

/** Rows a turn of the event loop, so that requests are answered while a large campaign is loaded. */
const PORTION = 32

/** Everything, by pages; what is in memory and not in the database any more goes. */
export async function reloadAll(db: Db, shelf: Shelf, clock: Clock): Promise<void> {
  const now = new Date(clock.nowMs())
  const cids = new Set<number>()
  await eachPage(
    after => selectCampaignPage(db, now, after),
    row => row.cid,
    row => {
      cids.add(row.cid)
      return shelf.setCampaign(toLiveCampaign(row))
    },
  )
  for (const cid of [...shelf.orders.keys()]) if (!cids.has(cid)) await shelf.removeCampaign(cid)
  const pids = new Set<number>()
  await eachPage(
    after => selectPersonaPage(db, now, after),
    row => row.pid,
    row => {
      pids.add(row.pid)
      shelf.setPersona(row)
    },
  )
  for (const pid of [...shelf.personas.keys()]) if (!pids.has(pid)) shelf.removePersona(pid)
}

export async function reloadChanged(db: Db, shelf: Shelf, changed: ChangedIds, clock: Clock): Promise<void> {
  const customers = [...changed.customer]
  const touched = await selectTouched(db, {
    customers,
    flights: [...changed.flight],
    banners: [...changed.banner],
  })
  // A customer's change may be about the website that its banners lead to: their personas are read again too.
  const whole = new Set(customers.length > 0 ? touched.cids : [])
  const cids = [...new Set([...changed.campaign, ...touched.cids])]
  for (const some of portions(cids)) await reloadCampaigns(db, shelf, some, whole, clock)
  const pids = [...new Set([...changed.persona, ...touched.pids])]
  for (const some of portions(pids)) await reloadPersonas(db, shelf, some)
}

async function reloadCampaigns(
  db: Db,
  shelf: Shelf,
  cids: number[],
  whole: ReadonlySet<number>,
  clock: Clock,
): Promise<void> {
  const rows = await selectCampaigns(db, new Date(clock.nowMs()), cids)
  const found = new Map(rows.map(row => [row.cid, row]))
  // What stops delivering comes first: it must not wait for what is slow to load.
  for (const cid of cids) if (!found.has(cid)) await shelf.removeCampaign(cid)
  for (const row of rows) if (!row.enabled) await shelf.setCampaign(toLiveCampaign(row))
  for (const row of rows) {
    if (!row.enabled) continue
    const mustLoad = await shelf.setCampaign(toLiveCampaign(row))
    if (mustLoad || whole.has(row.cid)) await reloadPersonasOf(db, shelf, row.cid)
  }
}

async function reloadPersonasOf(db: Db, shelf: Shelf, cid: number): Promise<void> {
  const gone = new Set(shelf.orders.get(cid)?.pids)
  await eachPage(
    after => selectPersonasOf(db, cid, after),
    row => row.pid,
    row => {
      gone.delete(row.pid)
      shelf.setPersona(row)
    },
  )
  for (const pid of gone) shelf.removePersona(pid)
}

async function reloadPersonas(db: Db, shelf: Shelf, pids: number[]): Promise<void> {
  const rows = await selectPersonas(db, pids)
  const found = new Map<number, PersonaRow>(rows.map(row => [row.pid, row]))
  for (const pid of pids) if (!found.has(pid)) shelf.removePersona(pid)
  for (const row of rows) shelf.setPersona(row)
}

/** The next page is on its way while one is worked through: database and process work at the same time. */
async function eachPage<Row>(
  read: (after: number) => Promise<Row[]>,
  idOf: (row: Row) => number,
  work: (row: Row) => unknown,
): Promise<void> {
  let next: Promise<Row[]> | null = read(0)
  while (next) {
    const rows: Row[] = await next
    next = rows.length < PAGE_ROWS ? null : read(idOf(rows.at(-1)!))
    // Its failure is met by the next turn's await; until then nobody may call it unhandled.
    next?.catch(() => undefined)
    let done = 0
    for (const row of rows) {
      const working = work(row)
      if (working instanceof Promise) await working
      if (++done % PORTION === 0) await setImmediate()
    }
  }
}

function portions(ids: number[]): number[][] {
  const parts: number[][] = []
  for (let at = 0; at < ids.length; at += PAGE_ROWS) parts.push(ids.slice(at, at + PAGE_ROWS))
  return parts
}
