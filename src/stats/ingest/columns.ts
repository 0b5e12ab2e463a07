// Batches as the parameters of their statements, column by column.

import type { AdAction, AdEvent, IgnoredCalls } from '../../tracking/event.ts'
import { plainList, textList } from './arrays.ts'
import type { Quarter } from './local-time.ts'
import type { EventColumns, FilteredColumns } from './queries.ts'

export function eventColumns(events: AdEvent[]): EventColumns {
  return {
    adHex: plainList(events, ({ ad }) => Buffer.from(ad.adId, 'base64url').toString('hex')),
    kinds: textList(events, event => event.kind),
    servedS: plainList(events, ({ ad }) => ad.servedS),
    atMs: plainList(events, event => event.atMs),
    cuids: plainList(events, ({ ad }) => ad.cuid),
    cids: plainList(events, ({ ad }) => ad.cid),
    fids: plainList(events, ({ ad }) => ad.fid),
    pids: plainList(events, ({ ad }) => ad.pid),
    bids: plainList(events, ({ ad }) => ad.bid),
    sourceIds: plainList(events, ({ ad }) => ad.sourceId),
    budgetDays: plainList(events, ({ ad }) => ad.dayKey),
    spendMicros: plainList(events, event => event.spendMicros),
    userHex: plainList(events, ({ ad }) => (ad.user ? hex32(ad.user.hi) + hex32(ad.user.lo) : null)),
    placeHashes: plainList(events, ({ ad }) => ad.placeHash),
    devices: textList(events, ({ ad }) => ad.device),
    oses: textList(events, ({ ad }) => ad.os),
    countries: textList(events, ({ ad }) => ad.country),
  }
}

function hex32(value: number): string {
  return value.toString(16).padStart(8, '0')
}

export function actionJson(actions: AdAction[]): string {
  return JSON.stringify(
    actions.map(({ ad, ...action }) => ({
      cuid: ad.cuid,
      dedupe: action.dedupe,
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
      device: ad.device,
      os: ad.os,
      country: ad.country,
    })),
  )
}

export function filteredColumns(
  ignored: IgnoredCalls[],
  quarterOf: (ms: number) => Quarter,
): FilteredColumns {
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
