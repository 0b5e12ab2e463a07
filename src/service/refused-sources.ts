// Watches which part of the impressions of each source is refused: a wrong chain of proxies in front makes all visitors
// look like others, and nothing is billed while every call gets 200.

import { SOURCE_REFUSALS } from '../count/tracking/refusals.ts'
import { refusedSources } from '../count/tracking/source-outcomes.ts'
import { type Clock, steadyMsOf } from '../kernel/time/clock.ts'
import type { Database } from '../platform/database.ts'
import type { Log } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import { every, patiently } from '../platform/timer.ts'
import { createTrouble, OutsideFailure } from '../platform/trouble.ts'

const EVERY_MS = 10_000

/** Returns the function that stops it. */
export function watchSources(parts: { db: Database; clock: Clock; log: Log; metrics: Metrics }) {
  const { db, clock, log, metrics } = parts
  const sources = new Map<string, number>(SOURCE_REFUSALS.map(reason => [reason, 0]))
  metrics.readings(
    'marquee_sources_refused',
    'Sources of which at least fifty impressions of the last hour, and one in five, were not counted, by outcome.',
    'outcome',
    () => sources,
  )
  const trouble = createTrouble(log, {
    text: 'many impressions of a source are not counted',
    again: 'the impressions of all sources are counted again',
    about: { part: 'counting' },
    calmMs: Number.POSITIVE_INFINITY,
  })
  async function look(): Promise<void> {
    const found = await refusedSources(db, clock.nowMs())
    for (const reason of SOURCE_REFUSALS)
      sources.set(reason, found.filter(one => one.reason === reason).length)
    for (const { sourceId, source, reason, refused, of } of found)
      trouble.is(new OutsideFailure(`${reason} at source ${sourceId}`), { source, refused, of })
    if (found.length === 0) trouble.over()
  }
  return every('refused sources', EVERY_MS, patiently(look, steadyMsOf(clock)), log, clock)
}
