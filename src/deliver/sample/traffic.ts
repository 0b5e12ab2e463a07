// Traffic samples of all processes: each writes its hours to the database, and the process that is asked combines them,
// so that every kept request represents the same number of requests.

import { randomUUID } from 'node:crypto'
import type { Clock } from '../../kernel/time/clock.ts'
import { HOUR_MS } from '../../kernel/time/units.ts'
import type { Db } from '../../platform/database.ts'
import { deleteTrafficBefore, selectTraffic, upsertTraffic } from './queries.ts'
import type { KeptRequest, TrafficHour, TrafficSample } from './sample.ts'

/** What all processes have seen. */
export interface Traffic {
  /** Start of the first hour that is included. */
  sinceMs: number
  requests: number
  /** About how many requests each kept one represents. */
  stride: number
  kept: KeptRequest[]
}

export const KEPT_HOURS = 28 * 24
/** The most that is written per process and hour. */
const MOST_CHARS = 256_000
/** The most that is read for one answer: older samples are left out. */
const MOST_READ_CHARS = 4_000_000
const MOST_READ = 4_096
/** How old the written number of requests may be if the sample itself has not changed. */
const COUNT_MS = 60_000

/** Drops every other request until the rest fits. */
function thinned({ stride, kept }: TrafficHour): { stride: number; texts: string[] } {
  let texts = kept.map(one => JSON.stringify(one))
  while (texts.length > 1 && texts.join().length > MOST_CHARS) {
    stride *= 2
    texts = texts.filter((_, n) => n % 2 === 0)
  }
  return { stride, texts }
}

/** To be called repeatedly. Only hours that have changed are written; `isExact`: even if only a count changed. */
export function createTrafficWriter(db: Db, sample: TrafficSample, clock: Clock) {
  const sampleId = randomUUID()
  const written = new WeakMap<TrafficHour, { changes: number; requests: number; atMs: number }>()

  function isWritten(hour: TrafficHour, isExact: boolean): boolean {
    const { changes, requests } = hour
    const before = written.get(hour)
    if (requests === 0) return true
    if (before?.changes !== changes) return false
    if (before.requests === requests) return true
    return !isExact && Math.abs(clock.nowMs() - before.atMs) < COUNT_MS
  }

  async function write(hour: TrafficHour): Promise<void> {
    const { hourMs, requests, changes } = hour
    const { stride, texts } = thinned(hour)
    const { crowd = 1 } = clock
    const counts = { requests: requests * crowd, stride: stride * crowd }
    await upsertTraffic(db, sampleId, { hour: new Date(hourMs), ...counts, kept: `[${texts.join()}]` })
    if (!written.has(hour)) await deleteTrafficBefore(db, new Date(hourMs - KEPT_HOURS * HOUR_MS))
    written.set(hour, { changes, requests, atMs: clock.nowMs() })
  }

  return async (isExact = false): Promise<void> => {
    const hours = sample.hours()
    const currentMs = hours.at(-1)!.hourMs
    for (const hour of hours) {
      const isOver = hour.hourMs !== currentMs
      if (!isWritten(hour, isExact || isOver)) await write(hour)
      if (isOver) sample.forget(hour.hourMs)
    }
  }
}

/** The traffic of the last `hours` hours, including the current one. */
export async function readTraffic(db: Db, hours: number, nowMs: number): Promise<Traffic> {
  const currentMs = nowMs - (nowMs % HOUR_MS)
  const from = new Date(currentMs - (hours - 1) * HOUR_MS)
  const rows = await selectTraffic(db, from, new Date(nowMs), MOST_READ_CHARS)
  const parts = rows.map(row => ({ ...row, kept: JSON.parse(row.kept) as KeptRequest[] }))
  let stride = Math.max(1, ...parts.map(part => part.stride))
  const atStride = () =>
    parts.flatMap(part => part.kept.filter((_, n) => n % Math.max(1, stride / part.stride) === 0))
  let kept = atStride()
  while (kept.length > MOST_READ) {
    stride *= 2
    kept = atStride()
  }
  return {
    sinceMs: Math.min(currentMs, ...parts.map(part => part.hour.getTime())),
    requests: parts.reduce((sum, part) => sum + part.requests, 0),
    stride,
    kept,
  }
}
