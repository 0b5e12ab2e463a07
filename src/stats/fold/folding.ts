// Folding as a part of the service: every few seconds it checks whether a part of `fresh` is due, and reports in the
// metrics, the log and /readyz when it cannot keep up or when an open transaction keeps the space of folded rows.

import type { Database } from '../../platform/database.ts'
import type { Log } from '../../platform/log.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { every } from '../../platform/timer.ts'
import { FOLD_AFTER_S, foldDue } from './fold.ts'
import { selectBacklog } from './queries.ts'

export interface FoldingParts {
  db: Database
  log: Log
  metrics: Metrics
  everyMs?: number
  lookMs?: number
  troubleS?: number
}

export interface Folding {
  /** Notes for the operator; nearly always none. */
  notes(): string[]
  stop(): Promise<void>
}

/** A part grows by few rows meanwhile; while there is more to fold, it goes on at once. */
const EVERY_MS = 5000
const LOOK_MS = 10_000
/** Of a transaction that is left open, and of parts that wait longer than they should. */
const TROUBLE_S = 60

export function startFolding(parts: FoldingParts): Folding {
  const { db, log, metrics, everyMs = EVERY_MS, lookMs = LOOK_MS, troubleS = TROUBLE_S } = parts
  const folded = metrics.counter(
    'marquee_folded_rows_total',
    'Events and actions added to the rollups by this process.',
  )
  const waiting = metrics.gauge(
    'marquee_folding_waiting_seconds',
    'How long ago the events that wait longest were last added to the rollups. Figures include them anyway.',
  )
  const open = metrics.gauge(
    'marquee_oldest_transaction_seconds',
    'Age of the oldest open transaction of the database: until it ends, the room of folded events is not used again.',
  )
  let stopping = false
  let wasTrouble = ''

  async function fold(): Promise<void> {
    for (let isMore = true; isMore && !stopping; ) {
      const done = await foldDue(db)
      if (done) folded.inc(done.rows)
      isMore = done?.isMore ?? false
    }
  }

  async function look(): Promise<void> {
    const { waiting_s, open_s } = await selectBacklog(db)
    waiting.set(waiting_s)
    open.set(open_s)
    const trouble = troubleOf(waiting_s, open_s, troubleS)
    if (trouble !== wasTrouble && trouble !== '') log.warn({ waiting_s, open_s, part: 'folding' }, trouble)
    if (trouble !== wasTrouble && trouble === '') log.info({ part: 'folding' }, 'folding keeps up again')
    wasTrouble = trouble
  }

  const stopFolding = every('folding', everyMs, fold, log)
  const stopLooking = every('folding backlog', lookMs, look, log)
  return {
    notes: () => (wasTrouble === '' ? [] : [wasTrouble]),
    async stop() {
      stopping = true
      await Promise.all([stopFolding(), stopLooking()])
    },
  }
}

function troubleOf(waitingS: number, openS: number, troubleS: number): string {
  if (openS > troubleS)
    return 'a database transaction has been open for long; events that were folded keep their room until it ends'
  if (waitingS > FOLD_AFTER_S + troubleS) return 'events wait to be folded for longer than they should'
  return ''
}
