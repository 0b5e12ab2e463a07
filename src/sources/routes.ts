// The endpoint of sources, to its verb. Counting what was shown reads the events of a day, so it is done at most once
// per minute for an app, and never twice at the same time.

import type { Api } from '../http/api.ts'
import type { AppCaller } from '../kernel/caller.ts'
import { type Clock, toSeconds } from '../kernel/clock.ts'
import { calendarOf } from '../kernel/day.ts'
import { fromMicros } from '../kernel/money.ts'
import type { Db } from '../platform/database.ts'
import type { SeenSource } from './contract.ts'
import * as contract from './contract.ts'
import { type ShownRow, sumShown } from './queries.ts'
import { listSources, type Source } from './sources.ts'

const FRESH_MS = 60_000
const MAX_APPS = 1_000

type Shown = Map<number, ShownRow>

export function sourceRoutes(api: Api, { clock, timeZone }: { clock: Clock; timeZone: string }): void {
  const calendar = calendarOf(timeZone)
  /** Of an app as a whole, or of a pair that is limited to some customers. */
  const kept = new Map<string, { atMs: number; shown: Promise<Shown> }>()

  function shownToday(db: Db, { appId, cuids, key }: AppCaller): Promise<Shown> {
    const owner = cuids === null ? `app ${appId}` : key
    const nowMs = clock.nowMs()
    const known = kept.get(owner)
    if (known && nowMs - known.atMs < FRESH_MS && nowMs >= known.atMs) return known.shown
    const day = calendar.dayAt(nowMs)
    const shown = sumShown(db, appId, cuids, day.key, new Date(day.startMs)).then(
      rows => new Map(rows.map(row => [row.source_id, row])),
    )
    shown.catch(() => kept.delete(owner))
    if (kept.size >= MAX_APPS) kept.clear()
    kept.set(owner, { atMs: nowMs, shown })
    return shown
  }

  api.bind(contract.listSources, {
    handle: async call => {
      const sources = (await listSources(call.db)).filter(source => source.revoked === null)
      const shown = await shownToday(api.reads, call.caller as AppCaller)
      return sources.map(source => toSeen(source, shown.get(source.sourceId)))
    },
  })
}

function toSeen(source: Source, shown: ShownRow | undefined): SeenSource {
  const { sourceId, kind, name, domain, key, billsOn, allowsCpc, created, serverKeyHash } = source
  return {
    ...{ sourceId, kind, name, domain },
    key: kind === 'site' ? key : null,
    serverKey: serverKeyHash !== null,
    billsOn,
    allowsCpc,
    created: toSeconds(created),
    today: { imps: shown?.imps ?? 0, spend: fromMicros(shown?.spend_micros ?? 0) },
  }
}
