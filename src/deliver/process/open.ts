// Opens a node, step by step: it joins, opens its books, starts its rounds with the database, and binds the routes for
// ad requests. Everything that must be closed is added to `closers`, which are called in reverse order.

import { randomBytes, randomFillSync } from 'node:crypto'
import type { Journal } from '../../budget/ledger/journal.ts'
import type { Ledger } from '../../budget/ledger/ledger-interface.ts'
import { createAdIds } from '../../count/tracking/ad.ts'
import { createUserCookies, type UserCookies } from '../../count/tracking/cookie.ts'
import {
  keepSigningKeys,
  loadSigningKeys,
  refreshSigningKeys,
  type StoredKeys,
} from '../../count/tracking/keys.ts'
import type { DataRoute } from '../../http/lane/data-plane.ts'
import { isSandbox } from '../../kernel/time/clock.ts'
import { type Calendar, calendarOf } from '../../kernel/time/day.ts'
import type { Log } from '../../platform/log.ts'
import { secretNamed } from '../../platform/secrets.ts'
import { every } from '../../platform/timer.ts'
import type { AttributeDrops } from '../audience/attributes.ts'
import type { GeoLookups } from '../audience/lookups.ts'
import type { Tally } from '../decide/tally.ts'
import { type SecretsAt, userSecrets } from '../decide/user-secrets.ts'
import { visitorAllowancesBy } from '../decide/visitor-allowance.ts'
import type { AttributesSeen } from '../sample/attributes-seen.ts'
import type { TrafficSample } from '../sample/sample.ts'
import { createCountsLoader, loadSeenToday } from './cap-counts.ts'
import { joinDeployment, type Membership } from './join.ts'
import { startLagMeter } from './lag.ts'
import { type OpenBooks, openLedger } from './open-ledger.ts'
import type { Refill } from './refill.ts'
import type { NodeOptions, RunningNode } from './running.ts'

export interface OpenOptions extends NodeOptions {
  lookups: GeoLookups
  sample: TrafficSample
  /** Writes the traffic sample to the database. */
  writeTraffic: (isExact?: boolean) => Promise<void>
  tally: Tally
  attributesSeen: AttributesSeen
  attributeDrops: AttributeDrops
  wentBack: boolean
  /** The keys in use before the database went back in time. */
  keysBefore: StoredKeys | null
}

/** Less than the service waits for a part to stop (service/stop.ts). */
const GIVE_BACK_MS = 3_000
const KEYS_MS = 60_000
const COUNTS_MS = 1_000
const TIDY_MS = 10_000
const CLICK_RATES_MS = 60_000
const ATTRIBUTES_MS = 60_000
/** How old the traffic sample of this process may be in the database. */
export const TRAFFIC_MS = 5_000
/** How often the node asks whether it is its turn to check for stalled campaigns. */
const STALLED_MS = 60_000

export async function openNode(options: OpenOptions, closers: (() => unknown)[]): Promise<RunningNode> {
  const { config, db, clock, log } = options
  const { nowMs } = clock
  const calendar = calendarOf(config.TIMEZONE)
  const userSecret = await secretNamed(db, 'user')
  const membership = await joinDeployment(options, userSecret, closers)
  const { node, store, capStore, rebuildFrom, refill } = membership
  const keys = await openKeys(options, closers)
  const books = await openLedger(options, membership, calendar, closers)
  const { journal, ledger, byClick, catalog, arrange } = books
  if (capStore) {
    rebuildFrom.load = () => loadSeenToday({ db, orders: catalog.orders, ledger }, capStore, nowMs())
    rebuildFrom.open = () => ledger.openCapCounts(nowMs())
  }
  refill.start(ledger)
  closers.push(() => leave(refill, ledger, log))
  await refill.sync()
  await byClick.refresh(db, nowMs())
  startRounds(options, membership, books, closers)
  const secretsAt = userSecrets(userSecret, calendar)
  const cookies = createUserCookies(userSecret)
  const secrets = { keys, secretsAt, cookies }
  const routes = routesOf({ ...options, calendar }, membership, books, secrets, closers)
  async function refresh(): Promise<void> {
    await catalog.refresh()
    await byClick.refresh(db, nowMs())
    await refill.sync()
  }
  log.info(
    { node: node.nodeId, personas: catalog.personas.size, campaigns: catalog.orders.size },
    'delivery has started',
  )
  return {
    catalog,
    ledger,
    journal,
    refill,
    store,
    capStore,
    keys,
    secretsAt,
    cookies,
    routes,
    arrange,
    refresh,
  }
}

interface Secrets {
  keys: StoredKeys
  secretsAt: SecretsAt
  cookies: UserCookies
}

function routesOf(
  options: OpenOptions & { calendar: Calendar },
  { node, capStore }: Membership,
  { journal, ledger, index, byClick, catalog }: OpenBooks,
  { keys, secretsAt, cookies }: Secrets,
  closers: (() => unknown)[],
): DataRoute[] {
  const { config, clock, calendar, sample } = options
  const lag = startLagMeter()
  closers.push(() => lag.stop())
  return options.dialects.routes({
    config,
    decide: {
      catalog,
      index,
      ledger,
      byClick,
      nextAdId: createAdIds(pool => randomFillSync(pool)),
      random: options.random ?? Math.random,
    },
    links: {
      publicUrl: config.PUBLIC_URL,
      nodeId: node.nodeId,
      keys,
      places: options.places,
      saltAt: ms => secretsAt(ms).dailySalt,
    },
    clock,
    calendar,
    capStore,
    // A sandbox answers at once: its decisions must not depend on how fast a disk is.
    kept: isSandbox(clock) ? () => Promise.resolve() : journal.kept,
    tally: options.tally,
    sample,
    sourceOutcomes: options.sourceOutcomes,
    sources: catalog.sources,
    attributes: catalog.attributes,
    attributesSeen: options.attributesSeen,
    attributeDrops: options.attributeDrops,
    secretsAt,
    lookups: options.lookups,
    cookies,
    allowanceOf: visitorAllowancesBy(options.visitorLimits, options.onUnserved),
    servedSums: options.servedSums,
    lagMs: isSandbox(clock) ? () => 0 : lag.lagMs,
  })
}

function startRounds(
  options: OpenOptions,
  { capStore }: Membership,
  { journal, caps, ledger, byClick, catalog }: OpenBooks,
  closers: (() => unknown)[],
): void {
  const { db, clock, log } = options
  const { nowMs } = clock
  const loadMissingCounts = createCountsLoader({ db, ledger, caps, capStore })
  closers.push(every('caps', COUNTS_MS, () => loadMissingCounts(nowMs()), log, clock))
  closers.push(every('click rates', CLICK_RATES_MS, () => byClick.refresh(db, nowMs()), log, clock))
  const writeSeen = () => options.attributesSeen.write(db)
  closers.push(every('attributes', ATTRIBUTES_MS, writeSeen, log, clock))
  closers.push(every('traffic', TRAFFIC_MS, () => options.writeTraffic(), log, clock))
  const checkStalled = options.createStalledCheck({
    db,
    clock,
    catalog,
    rates: byClick.rates,
    writeTraffic: options.writeTraffic,
  })
  closers.push(every('stalled campaigns', STALLED_MS, checkStalled, log, clock, { isByTheClock: true }))
  closers.push(every('ledger', TIDY_MS, () => tidy(ledger, journal, nowMs()), log, clock))
}

/** The keys that sign links, including the former ones, because links signed with them are out. */
async function openKeys(
  { db, clock, log, keysBefore }: OpenOptions,
  closers: (() => unknown)[],
): Promise<StoredKeys> {
  const parts = { clock, randomBytes }
  if (keysBefore) await keepSigningKeys(db, keysBefore)
  const keys = await loadSigningKeys(db, parts)
  closers.push(every('signing keys', KEYS_MS, () => refreshSigningKeys(db, keys, parts), log, clock))
  return keys
}

async function leave(refill: Refill, ledger: Ledger, log: Log): Promise<void> {
  const { campaigns, micros } = await refill.leave(ledger, GIVE_BACK_MS)
  if (campaigns > 0)
    log.warn(
      { node: refill.node.nodeId, campaigns, micros },
      'could not return budget shares in time: they go back when the last ad of this process expires',
    )
}

async function tidy(ledger: Ledger, journal: Journal, nowMs: number): Promise<void> {
  ledger.expire(nowMs)
  await journal.sweep(nowMs)
}
