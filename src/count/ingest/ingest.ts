// Writes batches to the database. An event is written, paid for and added to `fresh` in one transaction, exactly once,
// however often and by however many processes it is reported. Figures are made later: see ../fold.

import { createRecent } from '../../kernel/recent.ts'
import { systemClock } from '../../kernel/time/clock.ts'
import { localityNamed } from '../../manage/reference/localities.ts'
import { type Database, type Db, sqlState } from '../../platform/database.ts'
import { type DatabaseMark, NOTHING_KNOWN, type RewindCheck } from '../../platform/rewind-check.ts'
import { writeActions } from '../conversions/write.ts'
import type { ServedAd } from '../tracking/ad.ts'
import { adKeyOf } from '../tracking/ad.ts'
import type { AdEvent, Batch, BatchResult, Ingest } from '../tracking/event.ts'
import type { Places } from '../tracking/places.ts'
import { eventColumns, filteredColumns } from './columns.ts'
import { createCopy } from './copy.ts'
import { createLeaves } from './leaves.ts'
import { createCustomerQuarters } from './local-time.ts'
import { dayOf, ensurePartitions } from './partitions.ts'
import { decideOneByOne, payingNodeOf } from './pay.ts'
import { NOT_HELD } from './pay-queries.ts'
import {
  addFiltered,
  type EventColumns,
  hasImpression,
  insertEvents,
  insertLocalities,
  insertPlaces,
  type LocalityRow,
  type NotCounted,
} from './queries.ts'

export interface IngestParts {
  /** A pool of its own, because requests that wait for the ingest use connections of theirs. */
  db: Database
  /** The deployment's time zone, for customers without one of their own. */
  timeZone: string
  nowMs?: () => number
  places: Places
  /** The node of this process; other nodes are sent news of the ads that they promised. */
  ownNodeId?: () => number
  /** Tells whether this is still the database that leaves and names were read from. */
  rewindCheck?: Pick<RewindCheck, 'known' | 'doubt' | 'onWentBack' | 'onLook'>
}

/** SQLSTATE of, among others, a row that fits no partition. */
const CHECK_VIOLATION = '23514'
const DEADLOCK = '40P01'
const MOST_TRIES = 5
/** Enough for all localities that exist. */
const MOST_LOCALITIES = 100_000
const NOTHING: BatchResult = { known: [], late: [] }

export function createIngest(parts: IngestParts): Ingest {
  const { db, timeZone, places, ownNodeId = () => 0, rewindCheck } = parts
  const quarters = createCustomerQuarters(timeZone, parts.nowMs)
  const { quarterOf } = quarters
  let leavesOf = createLeaves()
  let localitiesOnDisk = createRecent<number, true>(MOST_LOCALITIES)
  const last = createLastWritten(db, parts.nowMs)
  const copy = createCopy(db, quarterOf, ownNodeId)
  rewindCheck?.onWentBack(() => {
    leavesOf = createLeaves()
    localitiesOnDisk = createRecent(MOST_LOCALITIES)
    places.forgetWritten()
    last.forget()
  })
  rewindCheck?.onLook(last.isThere)

  async function write({ events, actions, ignored }: Batch): Promise<BatchResult> {
    // Read before anything is taken from memory: if the database goes back in between, the statement fails.
    const known = (await rewindCheck?.known()) ?? NOTHING_KNOWN
    if (events.length > 0) {
      const ads = events.map(event => event.ad)
      await Promise.all([keepPlaces(ads), keepLocalities(ads), loadZones(ads)])
      return writeEvents(events, await leavesOf(db, ads), known)
    }
    if (actions.length > 0) {
      await loadZones(actions.map(({ ad }) => ad))
      const leaves = await leavesOf(
        db,
        actions.map(action => action.ad),
      )
      return { known: await writeActions(db, actions, leaves, quarterOf, known), late: [] }
    }
    if (ignored.length > 0) {
      await quarters.load(
        db,
        ignored.map(({ ids }) => ids[0]!),
      )
      await addFiltered(db, filteredColumns(ignored, quarterOf))
    }
    return NOTHING
  }

  function loadZones(ads: Pick<ServedAd, 'cuid'>[]): Promise<void> {
    return quarters.load(
      db,
      ads.map(ad => ad.cuid),
    )
  }

  async function writeEvents(events: AdEvent[], leaves: number[], known: DatabaseMark): Promise<BatchResult> {
    if (await copy(events, leaves, known)) {
      last.wrote(events)
      return { ...NOTHING, unseen: [] }
    }
    const leafOf = new Map(events.map((event, at) => [event, leaves[at]!]))
    const columnsOf = (some: AdEvent[]) =>
      eventColumns(
        some,
        some.map(event => leafOf.get(event)!),
        quarterOf,
      )
    const columns = columnsOf(events)
    try {
      const result = await insert(db, events, columns, known)
      last.wrote(events)
      return { ...result, late: [] }
    } catch (error) {
      if (sqlState(error) !== NOT_HELD) throw error
      return decideOneByOne(db, events, columns, (tx, fitting) =>
        insert(tx, fitting, columnsOf(fitting), known),
      )
    }
  }

  function insert(
    on: Db,
    events: AdEvent[],
    columns: EventColumns,
    known: DatabaseMark,
  ): Promise<NotCounted> {
    const nodeId = ownNodeId()
    // Views come in batches of their own: see the batcher.
    if (events.every(event => event.kind === 'view')) return insertEvents(on, columns, known, nodeId, null)
    return insertEvents(on, columns, known, nodeId, {
      caps: events.some(event => (event.freq ?? 0) > 0),
      others: events.some(event => event.kind === 'impression' && payingNodeOf(event) !== nodeId),
      clicks: events.some(event => event.kind === 'click'),
      flights: columns.payers !== null,
    })
  }

  /** Ensures that the names of places are on disk before events are counted there. */
  async function keepPlaces(ads: ServedAd[]): Promise<void> {
    const unwritten = places.unwritten(ads)
    if (unwritten.length === 0) return
    await insertPlaces(
      db,
      unwritten.map(({ placeHash, kind, name }) => ({ place_hash: placeHash, kind, name })),
    )
    places.written(unwritten.map(place => place.placeHash))
  }

  /** The same for regions and cities. One that only a later version knows gets its name when that version writes it. */
  async function keepLocalities(ads: ServedAd[]): Promise<void> {
    const onDisk = localitiesOnDisk
    const missing = new Map<number, LocalityRow>()
    for (const { locality } of ads) {
      if (locality === 0 || onDisk.get(locality)) continue
      const named = localityNamed(locality)
      if (named) missing.set(locality, { locality, ...named })
    }
    if (missing.size === 0) return
    await insertLocalities(db, [...missing.values()])
    for (const locality of missing.keys()) onDisk.set(locality, true)
  }

  /**
   * Most batches write first and then lock shares; one that is decided event by event locks shares first. If both
   * report the same ads, the database may abort one of them. Nothing of that batch was written, so it is written again.
   */
  async function writeWithRetry(batch: Batch, tries = MOST_TRIES): Promise<BatchResult> {
    try {
      return await write(batch)
    } catch (error) {
      if (sqlState(error) === DEADLOCK && tries > 1) return writeWithRetry(batch, tries - 1)
      if (sqlState(error) !== CHECK_VIOLATION) rewindCheck?.doubt()
      throw error
    }
  }

  return async batch => {
    try {
      return await writeWithRetry(batch)
    } catch (error) {
      if (sqlState(error) !== CHECK_VIOLATION) throw error
      // Most likely a day on which no ads were served when partitions were made.
      await ensurePartitions(
        db,
        batch.events.map(event => dayOf(event.ad.servedS * 1000)),
      )
      return writeWithRetry(batch)
    }
  }
}

// The last impression that this process wrote. With it, the rewind check notices a database that lost less than the
// time between two marks.

interface LastWritten {
  /** Called when a batch is on disk. */
  wrote(events: AdEvent[]): void
  /** Also true if nothing was written since the last question: then the mark decides. */
  isThere(): Promise<boolean>
  forget(): void
}

/** Much shorter than any retention of events, so a missing event was not deleted for its age. */
const RECENT_MS = 3_600_000

function createLastWritten(db: Db, nowMs = systemClock.nowMs): LastWritten {
  let last: AdEvent | null = null
  const isRecent = ({ ad }: AdEvent) => Math.abs(nowMs() - ad.servedS * 1000) < RECENT_MS
  return {
    wrote(events) {
      const impression = events.findLast(event => event.kind === 'impression')
      if (impression) last = impression
    },
    async isThere() {
      const asked = last
      if (asked === null || !isRecent(asked)) return true
      // The clock of a sandbox may have moved on meanwhile, and its old events are gone.
      if (!(await hasImpression(db, adKeyOf(asked.ad))) && isRecent(asked)) return false
      if (last === asked) last = null
      return true
    },
    forget() {
      last = null
    },
  }
}
