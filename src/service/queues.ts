// Watches the queues in the database: reviews of banners, webhooks and emails that are due.

import { type Clock, steadyMsOf } from '../kernel/time/clock.ts'
import type { Database } from '../platform/database.ts'
import type { Log } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import { every, patiently } from '../platform/timer.ts'
import { MOST_COUNTED, selectQueues } from './queue-queries.ts'

export interface QueueParts {
  db: Database
  clock: Clock
  log: Log
  metrics: Metrics
}

const LOOK_MS = 10_000

/** Returns the function that stops it. */
export function watchQueues({ db, clock, log, metrics }: QueueParts) {
  const upTo = `at most ${MOST_COUNTED} are counted`
  const reviews = metrics.gauge('marquee_reviews_waiting', `Banners waiting for their review; ${upTo}.`)
  const webhooks = metrics.gauge('marquee_webhooks_waiting', `Pending webhook deliveries; ${upTo}.`)
  const overdue = metrics.gauge(
    'marquee_webhooks_oldest_seconds',
    'How long the oldest delivery has been due; 0 if none is due.',
  )
  const mails = metrics.gauge('marquee_mails_waiting', `Reports and alerts not emailed yet; ${upTo}.`)
  async function look(): Promise<void> {
    const found = await selectQueues(db)
    reviews.set(found.reviews)
    webhooks.set(found.webhooks)
    overdue.set(found.webhook_s)
    mails.set(found.mails)
  }
  return every('queues', LOOK_MS, patiently(look, steadyMsOf(clock)), log, clock)
}
