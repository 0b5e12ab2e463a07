// Batches as the parameters of their statements, column by column.

import { adKeyOf } from '../../tracking/ad.ts'
import { countryNumber, deviceCode, kindCode, osCode } from '../../tracking/codes.ts'
import type { AdAction, AdEvent, IgnoredCalls } from '../../tracking/event.ts'
import { actionHashOf } from '../../tracking/places.ts'
import { plainList } from './arrays.ts'
import type { Quarter } from './local-time.ts'
import { payerOf } from './pay.ts'
import type { EventColumns, FilteredColumns } from './queries.ts'

type QuarterOf = (ms: number) => Quarter

/** The leaves are those of the events, in their order. */
export function eventColumns(events: AdEvent[], leaves: number[], quarterOf: QuarterOf): EventColumns {
  const quarters = events.map(event => quarterOf(event.atMs))
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
    nodeIds: plainList(events, payerOf),
    freqs: plainList(events, event => event.freq ?? 0),
  }
}

export function actionJson(actions: AdAction[], leaves: number[], quarterOf: QuarterOf): string {
  return JSON.stringify(
    actions.map(({ ad, ...action }, at) => {
      const quarter = quarterOf(action.atMs)
      return {
        cuid: ad.cuid,
        dedupe: action.dedupe,
        by_pixel: action.byPixel,
        at_ms: action.atMs,
        name: action.name,
        value_micros: action.valueMicros,
        served_s: ad.servedS,
        ad: Buffer.from(ad.adId, 'base64url').toString('hex'),
        credited_to: action.creditedTo,
        cid: ad.cid,
        fid: ad.fid,
        pid: ad.pid,
        bid: ad.bid,
        place_hash: ad.placeHash,
        locality: ad.locality,
        device: ad.device,
        os: ad.os,
        country: ad.country,
        audience: ad.audience,
        leaf: leaves[at],
        action_hash: actionHashOf(action.name),
        quarter: quarter.number,
        day: quarter.dayNumber,
        hour: Number(quarter.hour),
        device_code: deviceCode(ad.device),
        os_code: osCode(ad.os),
        country_number: countryNumber(ad.country),
      }
    }),
  )
}

export function filteredColumns(ignored: IgnoredCalls[], quarterOf: QuarterOf): FilteredColumns {
  const columns: FilteredColumns = { ids: [], days: [], reasons: [], imps: [], clicks: [], actions: [] }
  for (const { ids, atMs, reason, counter, calls } of ignored) {
    const { day } = quarterOf(atMs)
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
