// Converts batches to the parameters of their statements, column by column.

import { adKeyOf } from '../tracking/ad.ts'
import { countryNumber, deviceCode, kindCode, osCode } from '../tracking/codes.ts'
import type { AdEvent, IgnoredCalls } from '../tracking/event.ts'
import type { QuarterOf } from './local-time.ts'
import { payerOf, payingNodeOf } from './pay.ts'
import type { EventColumns, FilteredColumns } from './queries.ts'

/** `leaves` are those of the events, in the same order. */
export function eventColumns(events: AdEvent[], leaves: number[], quarterOf: QuarterOf): EventColumns {
  const quarters = events.map(event => quarterOf(event.ad.cuid, event.atMs))
  return {
    ads: plainList(events, ({ ad }) => adKeyOf(ad)),
    kinds: plainList(events, event => kindCode(event.kind)),
    atMs: plainList(events, event => event.atMs),
    leaves: plainList(leaves, leaf => leaf),
    cuids: plainList(events, ({ ad }) => ad.cuid),
    cids: plainList(events, ({ ad }) => ad.cid),
    sourceIds: plainList(events, ({ ad }) => ad.sourceId),
    budgetDays: plainList(events, ({ ad }) => ad.dayKey),
    spendMicros: plainList(events, event => event.spendMicros),
    userHis: plainList(events, ({ ad }) => (ad.user ? ad.user.hi | 0 : 0)),
    userLos: plainList(events, ({ ad }) => (ad.user ? ad.user.lo | 0 : 0)),
    placeHashes: plainList(events, ({ ad }) => ad.placeHash ?? 0),
    localities: plainList(events, ({ ad }) => ad.locality),
    devices: plainList(events, ({ ad }) => deviceCode(ad.device)),
    oses: plainList(events, ({ ad }) => osCode(ad.os)),
    countries: plainList(events, ({ ad }) => countryNumber(ad.country)),
    audiences: plainList(events, ({ ad }) => ad.audience),
    quarters: plainList(quarters, quarter => quarter.number),
    days: plainList(quarters, quarter => quarter.dayNumber),
    hours: plainList(quarters, quarter => quarter.hour),
    nodeIds: plainList(events, payingNodeOf),
    freqs: plainList(events, event => event.freq ?? 0),
    payers: events.some(event => payerOf(event) !== 0) ? plainList(events, payerOf) : null,
  }
}

export function filteredColumns(ignored: IgnoredCalls[], quarterOf: QuarterOf): FilteredColumns {
  const columns: FilteredColumns = { ids: [], days: [], reasons: [], imps: [], clicks: [], actions: [] }
  for (const { ids, atMs, reason, counter, calls } of ignored) {
    const { day } = quarterOf(ids[0]!, atMs)
    for (const id of ids) {
      columns.ids.push(id)
      columns.days.push(day)
      columns.reasons.push(reason)
      columns.imps.push(counter === 'imps' ? calls : 0)
      columns.clicks.push(counter === 'clicks' ? calls : 0)
      columns.actions.push(counter === 'actions' ? calls : 0)
    }
  }
  return columns
}

// Columns in PostgreSQL's text form of arrays, because the driver's own encoding costs more than the rest of a batch.

/** For numbers, and for text that needs no quotes (letters and hexadecimal digits). */
function plainList<T>(items: T[], pick: (item: T) => number | string | null): string {
  let text = '{'
  for (let i = 0; i < items.length; i++) text += `${i === 0 ? '' : ','}${pick(items[i]!) ?? 'NULL'}`
  return `${text}}`
}
