// Events to rollups. Promises: an event is added to the figures exactly once, in the transaction that writes it down,
// however often it is reported and by how many processes.

import { type Database, sqlState } from '../../platform/database.ts'
import type { AdAction, AdEvent, Batch, BatchResult, Ingest } from '../../tracking/event.ts'
import type { Places } from '../../tracking/places.ts'
import { actionJson, eventColumns, filteredColumns } from './columns.ts'
import { createQuarters, type Quarter } from './local-time.ts'
import { dayOf, ensurePartitions } from './partitions.ts'
import { addFiltered, insertActions, insertEvents, type Lookups, selectPlaces } from './queries.ts'

export interface IngestParts {
  /** A pool of its own: requests that wait for the ingest hold connections of theirs. */
  db: Database
  timeZone: string
  places: Places
}

/** SQLSTATE of a row that fits no partition, among others. */
const CHECK_VIOLATION = '23514'

export function createIngest({ db, timeZone, places }: IngestParts): Ingest {
  const quarterOf = createQuarters(timeZone)

  async function write({ events, actions, ignored }: Batch): Promise<BatchResult> {
    if (events.length > 0) {
      const knownEvents = await insertEvents(db, eventColumns(events), await lookupsOf(events))
      return { knownEvents, knownActions: [] }
    }
    if (actions.length > 0) {
      const knownActions = await insertActions(db, actionJson(actions), await lookupsOf(actions))
      return { knownEvents: [], knownActions }
    }
    if (ignored.length > 0) await addFiltered(db, filteredColumns(ignored, quarterOf))
    return { knownEvents: [], knownActions: [] }
  }

  /** The names of places, from memory, else from what was written earlier. */
  async function lookupsOf(items: (AdEvent | AdAction)[]): Promise<Lookups> {
    const hashes = new Set<number>()
    const quarters = new Map<number, Quarter>()
    for (const { ad, atMs } of items) {
      if (ad.placeHash !== null) hashes.add(ad.placeHash)
      const quarter = quarterOf(atMs)
      quarters.set(quarter.startMs, quarter)
    }
    const strange = [...hashes].filter(placeHash => !places.nameOf(placeHash))
    if (strange.length > 0) {
      for (const row of await selectPlaces(db, strange)) {
        places.learn(row.place_hash, { kind: row.kind, name: row.name })
      }
    }
    const known = [...hashes].filter(placeHash => places.nameOf(placeHash))
    return {
      quarterStartsS: [...quarters.keys()].map(ms => ms / 1000),
      days: [...quarters.values()].map(quarter => quarter.day),
      hours: [...quarters.values()].map(quarter => quarter.hour),
      placeHashes: known,
      placeKinds: known.map(placeHash => places.nameOf(placeHash)!.kind),
      placeNames: known.map(placeHash => places.nameOf(placeHash)!.name),
    }
  }

  return async batch => {
    try {
      return await write(batch)
    } catch (error) {
      if (sqlState(error) !== CHECK_VIOLATION) throw error
      // Most likely a day that nothing was served on when partitions were made.
      await ensurePartitions(
        db,
        batch.events.map(event => dayOf(event.ad.servedS * 1000)),
      )
      return write(batch)
    }
  }
}
