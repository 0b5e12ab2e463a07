// Pictures of all customers, each of one moment. One picture costs the database about 0.1 ms per customer. Therefore
// the next page, a filter or a search is answered from the picture of the first answer (`asOf`), if this process still
// has it. In memory only, bounded, and kept for a minute.

import { setImmediate } from 'node:timers/promises'
import { searchable } from '../../kernel/text.ts'
import { calendarOf } from '../../kernel/time/day.ts'
import type { Db } from '../../platform/database.ts'
import { quarterAt } from '../../report/figures/same-hours.ts'
import { evenMicrosOf, lagsFar, mayLagFar } from './health.ts'
import { groupBy, selectRuns } from './page-queries.ts'
import { type CockpitMoment, type CockpitScope, selectFacts, selectUntil } from './queries.ts'
import { byUrgency, type Standing, standingOf, withPaceLag } from './standing.ts'

export interface Picture {
  nowMs: number
  /** Customers that need a person come first. */
  standings: readonly Standing[]
  /** Today and yesterday are compared up to this quarter of an hour. */
  untilMs: number
  todayUntil: number
  yesterdayUntil: number
  /** The searchable text of each customer, once somebody has searched. */
  texts: readonly string[] | null
}

export interface Pictures {
  /** The newest picture of this scope and second; null if there is none. */
  find(scope: CockpitScope, asOfS: number): Picture | null
  keep(scope: CockpitScope, picture: Picture): void
}

interface Kept {
  key: string
  picture: Picture
  keptMs: number
}

const KEEP_MS = 60_000
/** Customers in all pictures together: about 50 MB. */
const MOST_CUSTOMERS_KEPT = 50_000
const TEXTS_AT_ONCE = 1000

export function createPictures(): Pictures {
  /** The newest is last. */
  let kept: Kept[] = []

  function drop(): void {
    const oldestMs = performance.now() - KEEP_MS
    let customers = 0
    kept = kept.filter(({ keptMs }) => keptMs > oldestMs)
    let first = kept.length
    while (first > 0 && customers + kept[first - 1]!.picture.standings.length <= MOST_CUSTOMERS_KEPT)
      customers += kept[--first]!.picture.standings.length
    kept = kept.slice(first)
  }

  return {
    find(scope, asOfS) {
      drop()
      const key = keyOf(scope)
      const found = kept.findLast(one => one.key === key && secondOf(one.picture) === asOfS)
      return found?.picture ?? null
    },
    keep(scope, picture) {
      kept.push({ key: keyOf(scope), picture, keptMs: performance.now() })
      drop()
    },
  }
}

export async function takePicture(db: Db, scope: CockpitScope, moment: CockpitMoment): Promise<Picture> {
  const nowMs = moment.now.getTime()
  const untilMs = quarterAt(nowMs / 1000) * 1000
  const [facts, until] = await Promise.all([
    selectFacts(db, scope, moment),
    selectUntil(db, scope, { until: new Date(untilMs), timeZone: moment.timeZone }),
  ])
  return {
    nowMs,
    standings: byUrgency(await withPace(db, facts.map(standingOf), moment.now)),
    untilMs,
    todayUntil: until.today,
    yesterdayUntil: until.yesterday,
    texts: null,
  }
}

/** Far behind an even day is a warning, which the order and the sums need to know of all customers. */
async function withPace(db: Db, standings: readonly Standing[], now: Date): Promise<Standing[]> {
  const cuids = standings.filter(mayLagFar).map(({ facts }) => facts.cuid)
  const runs = groupBy(cuids.length > 0 ? await selectRuns(db, cuids, now) : [], row => row.cuid)
  return standings.map(one => {
    if (!mayLagFar(one)) return one
    const { cuid, zone, budget } = one.facts
    const times = { calendar: calendarOf(zone), nowMs: now.getTime(), runs: runs.get(cuid) ?? [] }
    const evenMicros = Math.min(budget, evenMicrosOf(times))
    return lagsFar(one, times, evenMicros) ? withPaceLag(one, evenMicros) : one
  })
}

/** The texts in the order of the picture. A text takes some microseconds, so others get their turn in between. */
export async function textsOf(picture: Picture): Promise<readonly string[]> {
  if (picture.texts !== null) return picture.texts
  const texts: string[] = []
  for (const { facts } of picture.standings) {
    const { company, email, name, external_id } = facts
    texts.push(searchable([company, email, name, external_id]))
    if (texts.length % TEXTS_AT_ONCE === 0) await setImmediate()
  }
  picture.texts = texts
  return texts
}

export function secondOf({ nowMs }: Picture): number {
  return Math.floor(nowMs / 1000)
}

/** Callers who see other customers have other pictures. */
function keyOf({ appId, cuids }: CockpitScope): string {
  return `${appId} ${cuids === null ? 'all' : [...cuids].sort((a, b) => a - b).join(' ')}`
}
