// The nodes of simulated weeks. They use the service's books, rounds with the database, restarts, claims and ingest.
// Their clocks are virtual, their journal is a copy of the books, and calls to the database get lost.

import { createCaps } from '../../src/budget/caps/caps.ts'
import type { Journal } from '../../src/budget/ledger/journal.ts'
import { createLedger } from '../../src/budget/ledger/ledger.ts'
import type { Ledger } from '../../src/budget/ledger/ledger-interface.ts'
import type { LiveOrder } from '../../src/budget/live.ts'
import { insertNode, renewNode, resumeNode } from '../../src/budget/shares/node-queries.ts'
import { type NodeRef, type ShareStore, SLACK_MS, VALID_MS } from '../../src/budget/shares/share.ts'
import { createShareStore } from '../../src/budget/shares/shares.ts'
import { createIngest } from '../../src/count/ingest/ingest.ts'
import type { AdClaims, Ingest } from '../../src/count/tracking/event.ts'
import { createPlaces } from '../../src/count/tracking/places.ts'
import { selectCampaigns } from '../../src/deliver/catalog/queries.ts'
import { toLiveCampaign } from '../../src/deliver/catalog/rows.ts'
import { createSiteLists } from '../../src/deliver/catalog/site-lists.ts'
import { createAdClaims } from '../../src/deliver/process/ad-claims.ts'
import { createRefill, type Refill } from '../../src/deliver/process/refill.ts'
import { restoreLedger } from '../../src/deliver/process/restore.ts'
import { calendarOf } from '../../src/kernel/time/day.ts'
import { type MoneyWorld, OWN_ZONE } from './money-world.ts'
import type { Random } from './random.ts'
import type { VirtualDatabase } from './virtual-database.ts'

export interface Working {
  ref: NodeRef
  name: string
  ledger: Ledger
  refill: Refill
  store: ShareStore
  claims: AdClaims
  ingest: Ingest
  orders: Map<number, LiveOrder>
  /** Campaigns that have changed since they were read. */
  unread: Set<number>
}

/** A place where a node may run. */
export interface Place {
  offsetMs: number
  /** Decides its part of the requests. */
  weight: number
  working: Working | null
  /** Until these times the node is dead or frozen, cut off from the database, or has a wrong clock. */
  awayUntilMs: number
  cutUntilMs: number
  wrongUntilMs: number
  former: { nodeId: number; name: string; snapshot: ReturnType<Ledger['snapshot']> | null } | null
}

export interface MoneyNodes {
  places: Place[]
  isCut(place: Place): boolean
  isThere(place: Place): boolean
  start(place: Place): Promise<void>
  /** Reports that the node is alive, as the rounds that are not simulated would. */
  renew(place: Place): Promise<void>
  round(place: Place): Promise<void>
  /** Gets money for campaigns that have run dry, as the service does between rounds. */
  fillShort(place: Place): Promise<void>
  die(place: Place, hasJournal: boolean, forMs: number): void
}

export const MAX_TTL_MS = 1_800_000
const ADS_MS = MAX_TTL_MS + SLACK_MS
/** Of this many calls, one does not reach the database, and one loses its answer. */
const SHAKY = 500
const SILENT = { info() {}, warn() {}, error() {} }

export function createMoneyNodes(
  db: VirtualDatabase,
  world: MoneyWorld,
  random: Random,
  clock: { nowMs: number },
  nodes: number,
): MoneyNodes {
  const calendar = calendarOf(OWN_ZONE)
  const places: Place[] = Array.from({ length: nodes }, () => ({
    ...{ offsetMs: random.int(4_001) - 2_000, weight: 1, working: null, former: null },
    ...{ awayUntilMs: 0, cutUntilMs: 0, wrongUntilMs: 0 },
  }))
  let names = 0

  const isCut = (place: Place) => clock.nowMs < place.cutUntilMs
  const wallMs = (place: Place) => clock.nowMs + place.offsetMs

  function shaky(store: ShareStore, place: Place): ShareStore {
    async function call<T>(work: () => Promise<T>): Promise<T> {
      const chance = isCut(place) ? 0 : random.int(SHAKY)
      if (chance === 0) throw new Error('not reached')
      const answer = await work()
      if (chance === 1) throw new Error('the answer is lost')
      return answer
    }
    return {
      ...store,
      renew: node => call(() => store.renew(node)),
      move: (node, asks) => call(() => store.move(node, asks)),
      news: (node, read) => call(() => store.news(node, read)),
      reclaim: () => call(() => store.reclaim()),
      lease: (duty, node, ms) => call(() => store.lease(duty, node, ms)),
    }
  }

  /** Joins as the former node, if its folder exists and the node was not given up. */
  async function join({ former }: Place): Promise<{ ref: NodeRef; name: string }> {
    const resumed = former && (await resumeNode(db, former.nodeId, former.name, VALID_MS, ADS_MS))
    const name = resumed ? former.name : `node ${names++}`
    const row = resumed ?? (await insertNode(db, name, VALID_MS, ADS_MS))!
    return { ref: { nodeId: row.node_id, epoch: row.epoch }, name }
  }

  async function start(place: Place): Promise<void> {
    const { ref, name } = await join(place)
    const store = shaky(createShareStore(db, MAX_TTL_MS), place)
    const times = { nowMs: () => wallMs(place), maxTtlMs: MAX_TTL_MS }
    const steadyMs = () => clock.nowMs
    const refill = createRefill({ store, node: ref, log: SILENT, ...times, steadyMs, onReplaced() {} })
    const orders = new Map<number, LiveOrder>()
    const ledger = createLedger({
      calendar,
      caps: createCaps({ maxUsers: 1000 }),
      log: { reserved() {}, ended() {}, budget() {} },
      ...{ ...times, nowMs: wallMs(place), maxAds: 1_000_000 },
      node: { ...refill, hurry: () => undefined },
    })
    const claims = createAdClaims({
      ...{ nodeId: ref.nodeId, ledger, orders, timeZone: OWN_ZONE, nowMs: times.nowMs, capStore: null },
      store: { sendNews: async () => undefined },
      onError() {},
    })
    const adPlaces = createPlaces({ maxPlaces: 10 })
    const ownNodeId = () => ref.nodeId
    const ingest = createIngest({ db, timeZone: OWN_ZONE, nowMs: steadyMs, places: adPlaces, ownNodeId })
    const unread = new Set(world.orders.map(order => order.cid))
    const working = { ref, name, ledger, refill, store, claims, ingest, orders, unread }
    await read(working, wallMs(place))
    const { open = [], billed = [], budgets = [] } = place.former?.snapshot ?? {}
    const journal = { recovered: { open, billed, budgets } } as unknown as Journal
    const parts = { db, ledger, journal, orders, calendar, maxTtlMs: MAX_TTL_MS, node: ref }
    await restoreLedger({ ...parts, store: createShareStore(db, MAX_TTL_MS) }, wallMs(place))
    place.working = working
    place.former = null
  }

  /** Reads changed campaigns again, as the catalog does. */
  async function read({ unread, ledger, orders }: Working, nowMs: number): Promise<void> {
    if (unread.size === 0) return
    for (const row of await selectCampaigns(db, new Date(nowMs), [...unread])) {
      const campaign = toLiveCampaign(row, calendar, createSiteLists())
      orders.set(row.cid, { campaign, pids: new Set() })
      ledger.setCampaign(campaign, nowMs)
    }
    unread.clear()
  }

  function die(place: Place, hasJournal: boolean, forMs: number): void {
    const { ref, name, ledger } = place.working!
    const books = ledger.snapshot()
    // The last reservations may not have been on disk.
    const open = [...books.open].slice(0, -1 - random.int(3))
    place.former = { nodeId: ref.nodeId, name, snapshot: hasJournal ? { ...books, open } : null }
    place.working = null
    place.awayUntilMs = clock.nowMs + forMs
  }

  return {
    places,
    isCut,
    isThere: place => place.working !== null && clock.nowMs >= place.awayUntilMs,
    start,
    async renew(place) {
      await renewNode(db, place.working!.ref, VALID_MS, ADS_MS)
    },
    async round(place) {
      const { refill, ledger } = place.working!
      if (!isCut(place)) await read(place.working!, wallMs(place))
      await refill.round(ledger).catch(() => undefined)
      if (refill.state() === 'replaced') die(place, true, 0)
    },
    async fillShort(place) {
      const { ledger, refill, ref, store } = place.working!
      const asks = [...ledger.asking.short(refill.nodes(), wallMs(place))]
      if (asks.length === 0) return
      try {
        ledger.asking.granted(await store.move(ref, asks), refill.nodes(), wallMs(place))
      } catch {
        ledger.asking.unanswered(asks, wallMs(place))
      }
    },
    die,
  }
}
