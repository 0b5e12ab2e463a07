// The catalog: everything that may be served right now, in memory, at most about a second behind the database. While
// the database is unavailable, the catalog stays as it was and delivery continues; changes are read afterwards.

import type pg from 'pg'
import { CATALOG_CHANNEL } from '../../changes/changes.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import type { Calendar } from '../../kernel/time/day.ts'
import { type AttributeBook, EMPTY_BOOK, readAttributeBook } from '../../manage/attributes/book.ts'
import { listSources, nextEndMs, type SourceBook, sourceBook } from '../../manage/sources/sources.ts'
import type { Database } from '../../platform/database.ts'
import { DatabaseClient } from '../../platform/database-client.ts'
import type { Log } from '../../platform/log.ts'
import { loggedError } from '../../platform/trouble.ts'
import { type Follower, startFollowing } from './follow.ts'
import { type CatalogSink, createLiveCatalog, type ReadonlyCatalog } from './live-catalog.ts'
import { deleteChanges } from './queries.ts'
import { reloadAll, reloadChanged } from './reload.ts'
import { createSiteLists } from './site-lists.ts'

export interface Catalog extends ReadonlyCatalog {
  /** Sources that are not revoked, by key. */
  sources(): SourceBook
  /** What all apps have declared. */
  attributes(): AttributeBook
  /** Reads all changes up to now. */
  refresh(): Promise<void>
  /** When the last reading succeeded. */
  freshAtMs(): number
  stop(): Promise<void>
}

export interface CatalogOptions {
  db: Database
  databaseUrl: string
  clock: Clock
  /** The deployment's calendar, for customers without a zone of their own. */
  calendar: Calendar
  log: Log
  sink: CatalogSink
  pollMs?: number
}

const POLL_MS = 1_000
const SWEEP_MS = 60_000
const SWEEP_ROWS = 10_000
const KEEP_CHANGES_S = 86_400

/** Resolves when everything is loaded. */
export async function startCatalog(options: CatalogOptions): Promise<Catalog> {
  const { db, clock, calendar, log, sink, pollMs = POLL_MS } = options
  const live = createLiveCatalog(sink)
  const around = { clock, calendar, lists: createSiteLists() }
  let sources: SourceBook = new Map()
  let attributes = EMPTY_BOOK
  let sourcesAsOf: string | null = null
  /** When the next key that was replaced expires. */
  let keyEndsMs = Infinity
  let freshAtMs = 0
  let isFailing = false
  let running: Promise<void> | null = null
  let isHinted = false
  let sweptMs = clock.nowMs()

  const follower: Follower = await startFollowing(db, clock.nowMs)
  await reloadAll(db, live, around)
  await poll()

  async function poll(): Promise<void> {
    const sourcesNow = await follower.poll(
      changed => reloadChanged(db, live, changed, around),
      () => reloadAll(db, live, around),
    )
    if (sourcesNow !== sourcesAsOf || clock.nowMs() >= keyEndsMs) {
      const listed = await listSources(db)
      sources = sourceBook(listed, clock.nowMs())
      keyEndsMs = nextEndMs(listed, clock.nowMs())
      attributes = await readAttributeBook(db, null)
      sourcesAsOf = sourcesNow
    }
    if (clock.nowMs() - sweptMs >= SWEEP_MS) await sweep()
    freshAtMs = clock.nowMs()
  }

  /** Removes campaigns whose time is over, and rows that all processes have read. */
  async function sweep(): Promise<void> {
    sweptMs = clock.nowMs()
    for (const { campaign } of [...live.orders.values()]) {
      if (campaign.flights.every(flight => flight.endS * 1000 <= sweptMs))
        await live.removeCampaign(campaign.cid)
    }
    while ((await deleteChanges(db, KEEP_CHANGES_S, SWEEP_ROWS)) === SWEEP_ROWS);
  }

  function refresh(): Promise<void> {
    // A poll under way may have read before the caller's change, so one more follows it.
    if (running) return running.then(refresh, refresh)
    running = poll().finally(() => {
      running = null
    })
    return running
  }

  function tick(): void {
    if (running) {
      isHinted = true
      return
    }
    isHinted = false
    refresh().then(
      () => {
        if (isFailing) log.info('the catalog is fresh again')
        isFailing = false
        if (isHinted) tick()
      },
      error => {
        if (!isFailing)
          log.warn(
            loggedError(error),
            'cannot refresh the catalog; delivery continues with the last known state',
          )
        isFailing = true
      },
    )
  }

  /** If the clock is moved, the mover reads changes. */
  const { rounds } = clock
  const look = () => {
    if (!rounds?.isMoving()) tick()
  }
  const timer = setInterval(look, pollMs)
  timer.unref()
  const leave = rounds?.add({ name: 'catalog', everyMs: pollMs, run: () => refresh().catch(() => undefined) })
  const stopListening = listenForChanges(options.databaseUrl, look)
  return {
    orders: live.orders,
    personas: live.personas,
    sources: () => sources,
    attributes: () => attributes,
    refresh,
    freshAtMs: () => freshAtMs,
    async stop() {
      clearInterval(timer)
      leave?.()
      await stopListening()
      await running?.catch(() => undefined)
    },
  }
}

// Listens for the database's hint that something has changed, on its own connection, which reconnects by itself. Hints
// may be lost, so listeners must poll, too.

const RETRY_MS = 1_000

function listenForChanges(databaseUrl: string, hint: () => void): () => Promise<void> {
  let client: pg.Client | null = null
  let retry: NodeJS.Timeout | null = null
  let stopped = false

  function connect(): void {
    const opened = new DatabaseClient({
      connectionString: databaseUrl,
      application_name: 'marquee catalog',
      keepAlive: true,
    })
    client = opened
    opened.on('notification', hint)
    // A broken connection causes both events; the second one finds another client in place.
    opened.on('error', () => again(opened))
    opened.on('end', () => again(opened))
    opened
      .connect()
      .then(() => opened.query(`listen ${CATALOG_CHANNEL}`))
      // Hints may have been sent while it was disconnected.
      .then(hint)
      .catch(() => again(opened))
  }

  function again(broken: pg.Client): void {
    if (client !== broken || stopped) return
    client = null
    broken.end().catch(() => undefined)
    retry = setTimeout(connect, RETRY_MS)
    retry.unref()
  }

  connect()
  return async () => {
    stopped = true
    if (retry) clearTimeout(retry)
    await client?.end().catch(() => undefined)
  }
}
