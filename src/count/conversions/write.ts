// Writes a batch of actions for the ingest of statistics, which knows their leaves and quarters.

import type { Db } from '../../platform/database.ts'
import type { DatabaseMark } from '../../platform/rewind-check.ts'
import { countryNumber, deviceCode, osCode } from '../tracking/codes.ts'
import type { AdAction } from '../tracking/event.ts'
import { actionHashOf } from './name-hash.ts'
import { insertActions } from './write-queries.ts'

/** The quarter of an hour since 1970 that holds a moment, and what the customer's clocks show then. */
type QuarterOf = (cuid: number, ms: number) => { number: number; dayNumber: number; hour: string }

/** Returns the positions of actions that existed before. `leaves` are those of the actions, in the same order. */
export function writeActions(
  db: Db,
  actions: AdAction[],
  leaves: number[],
  quarterOf: QuarterOf,
  known: DatabaseMark,
): Promise<number[]> {
  return insertActions(db, jsonOf(actions, leaves, quarterOf), known)
}

function jsonOf(actions: AdAction[], leaves: number[], quarterOf: QuarterOf): string {
  return JSON.stringify(
    actions.map(({ ad, ...action }, at) => {
      const quarter = quarterOf(ad.cuid, action.atMs)
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
