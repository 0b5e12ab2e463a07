// Actions that advertisers' servers report to a process that does not deliver: written to the statistics as anywhere else.

import { idKey } from '../delivery/audience/user.ts'
import { userHashOf } from '../delivery/serve.ts'
import type { SecretsAt } from '../delivery/user-secrets.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Config } from '../platform/config.ts'
import { type Database, openDatabase } from '../platform/database.ts'
import type { Log } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { SlowStatements } from '../platform/slow-statements.ts'
import { brokenConnection, createTrouble } from '../platform/trouble.ts'
import { createIngest } from '../stats/ingest/ingest.ts'
import type { ActionCallParts } from '../tracking/action-calls.ts'
import { createBatcher } from '../tracking/batcher.ts'
import { createTally } from '../tracking/calls.ts'
import { createPlaces } from '../tracking/places.ts'
import { measureCounting, measuredIngest } from './measures.ts'

export interface ActionsOptions {
  config: Config
  db: Database
  databaseUrl: string
  slow: SlowStatements
  clock: Clock
  log: Log
  metrics: Metrics
}

/** Batches are written one after the other; a second connection is for when the first breaks. */
const INGEST_CONNECTIONS = 2
const INGEST_STATEMENT_MS = 5_000
const STOP_PATIENCE_MS = 3_000
const DAY_MS = 86_400_000
/** Actions carry no place of their own. */
const PLACES_IN_MEMORY = 1

export function startActions(options: ActionsOptions, secretsAt: SecretsAt) {
  const { config, clock, log, metrics } = options
  const ingestDb = openDatabase({
    url: options.databaseUrl,
    slow: options.slow,
    maxConnections: INGEST_CONNECTIONS,
    name: 'marquee counting',
    statementMs: INGEST_STATEMENT_MS,
    onError: brokenConnection(log, { part: 'counting' }),
  })
  const trackingDb = openDatabase({
    url: options.databaseUrl,
    slow: options.slow,
    maxConnections: config.TRACKING_POOL,
    onError: brokenConnection(log, { part: 'tracking' }),
  })
  const trouble = createTrouble(log, {
    text: 'actions cannot be written; they wait and are retried',
    again: 'actions are written again',
    about: { part: 'counting' },
  })
  const places = createPlaces({ maxPlaces: PLACES_IN_MEMORY })
  const ingest = createIngest({ db: ingestDb, timeZone: config.TIMEZONE, places, ownNodeId: () => 0 })
  const batcher = createBatcher({ ingest: measuredIngest(ingest, metrics), clock, onTrouble: trouble.is })
  measureCounting(metrics, batcher)
  metrics.pool('counting', ingestDb.pool)
  metrics.pool('tracking', trackingDb.pool)
  const parts: ActionCallParts & { db: Database } = {
    db: trackingDb,
    batcher,
    clock,
    tally: createTally(metrics),
    clickWindowS: config.CLICK_WINDOW,
    viewWindowS: config.VIEW_WINDOW,
    // Pixels in pages of visitors come to a process that delivers.
    readCookie: () => null,
    userHashesOf: (kind, id) => userHashesOf(secretsAt, clock, config.VIEW_WINDOW, kind, id),
  }
  return {
    parts,
    async stop(): Promise<void> {
      await batcher.stop(STOP_PATIENCE_MS)
      await ingestDb.close()
      await trackingDb.close()
    },
  }
}

/** The secrets change daily, so a view of yesterday stands under yesterday's hash. */
export function userHashesOf(
  secretsAt: SecretsAt,
  clock: Clock,
  viewWindowS: number,
  kind: 'cookie' | 'user',
  id: string,
) {
  const nowMs = clock.nowMs()
  const days = Math.ceil((viewWindowS * 1000) / DAY_MS)
  const moments = Array.from({ length: days + 1 }, (_, i) => nowMs - i * DAY_MS)
  return moments.map(ms => userHashOf(idKey(kind, id, secretsAt(ms).idSecret)))
}
