// What all counting processes share: two pools of their own, and the batches that are written to the statistics.

import { createIngest } from '../count/ingest/ingest.ts'
import { createBatcher } from '../count/tracking/batcher.ts'
import type { Batch, BatchResult, Ingest } from '../count/tracking/event.ts'
import type { Places } from '../count/tracking/places.ts'
import type { EventWriter } from '../deliver/process/counting.ts'
import type { FairPools } from '../http/fair-pools.ts'
import { type Clock, isSandbox } from '../kernel/time/clock.ts'
import type { Config } from '../platform/config.ts'
import { type Db, openDatabase } from '../platform/database.ts'
import type { Log } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { RewindCheck } from '../platform/rewind-check.ts'
import type { SlowStatements } from '../platform/slow-statements.ts'
import { brokenConnection, createTrouble } from '../platform/trouble.ts'
import { measureCounting, measuredIngest } from './measures.ts'

/** The options of every process that writes events. */
export interface WriterBase {
  config: Config
  databaseUrl: string
  slow: SlowStatements
  clock: Clock
  log: Log
  metrics: Metrics
  rewindCheck: RewindCheck
  /** The database over which statements are cancelled. */
  control: Db
  fairPools: FairPools
  /** Called with every batch that is on disk. */
  onWritten?: ((batch: Batch, result: BatchResult) => void) | undefined
}

export interface EventWriterOptions extends WriterBase {
  places: Places
  ownNodeId(): number
}

/** Batches are written one after the other; the second connection is for when the first breaks. */
const INGEST_CONNECTIONS = 2
/** A server that vanished silently is noticed within seconds, and the batch is retried on another connection. */
export const INGEST_STATEMENT_MS = 5_000
/** In a sandbox, a batch that was written twice would be missing from the figures of its visitors. */
const SANDBOX_STATEMENT_MS = 60_000
const STOP_PATIENCE_MS = 3_000

export function openEventWriter(options: EventWriterOptions): EventWriter {
  const {
    config,
    databaseUrl,
    slow,
    clock,
    log,
    metrics,
    places,
    ownNodeId,
    rewindCheck,
    control,
    fairPools,
  } = options
  const onBroken = brokenConnection(log, { part: 'counting' })
  // A pool of its own, so that counting and management requests never wait for each other.
  const ingestDb = openDatabase({
    url: databaseUrl,
    maxConnections: INGEST_CONNECTIONS,
    name: 'marquee counting',
    statementMs: isSandbox(clock) ? SANDBOX_STATEMENT_MS : INGEST_STATEMENT_MS,
    slow,
    onError(error) {
      onBroken(error)
      rewindCheck.doubt()
    },
  })
  // Another pool for lookups that strangers cause, so that they cannot use up the connections of customers.
  const trackingDb = openDatabase({
    url: databaseUrl,
    maxConnections: config.TRACKING_POOL,
    slow,
    control,
    onError: brokenConnection(log, { part: 'tracking' }),
  })
  const trouble = createTrouble(log, {
    text: 'cannot write events; they are kept and retried',
    again: 'events are written again',
    about: { part: 'counting' },
  })
  const write = createIngest({
    db: ingestDb,
    timeZone: config.TIMEZONE,
    nowMs: () => clock.nowMs(),
    places,
    ownNodeId,
    rewindCheck,
  })
  const ingest: Ingest = async batch => {
    const result = await write(batch)
    options.onWritten?.(batch, result)
    return result
  }
  const batcher = createBatcher({ ingest: measuredIngest(ingest, metrics), clock, onTrouble: trouble.is })
  measureCounting(metrics, batcher)
  metrics.pool('counting', ingestDb.pool)
  metrics.pool('tracking', trackingDb.pool)
  // Calls that report actions leave one connection to pixels.
  fairPools.add('tracking', trackingDb, Math.max(1, config.TRACKING_POOL - 1))
  return {
    batcher,
    ingestDb,
    trackingDb,
    onError: trouble.is,
    finish: () => batcher.stop(STOP_PATIENCE_MS),
    async close() {
      await ingestDb.close()
      await trackingDb.close()
    },
  }
}
