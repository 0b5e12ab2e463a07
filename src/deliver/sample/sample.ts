// A fair sample of the real ad requests of each hour, for the funnel and for stalled campaigns. Counting every stage of
// every persona at every request would undo the savings of the index, so requests are kept instead, and a persona is
// matched against them on demand. Only what decisions use is kept: no address, no id, no user, and of its page only
// the domain.

import { HOUR_MS } from '../../kernel/time/units.ts'
import type { Source } from '../../manage/sources/sources.ts'
import type { AdRequest, Slot } from '../targeting/request.ts'
import { createOutcomeNotes, type OutcomeNotes, type PlaceOutcome } from './outcome.ts'

export interface TrafficSample {
  /** Null: the request is not kept. Otherwise its outcome must be noted in the result. */
  see(request: AdRequest, source?: SampledSource): OutcomeNotes | null
  /** The current hour, and earlier ones that were not forgotten; the oldest first. */
  hours(): TrafficHour[]
  /** Drops an hour, because it is in the database. */
  forget(hourMs: number): void
}

export interface TrafficHour {
  hourMs: number
  requests: number
  /** One request in `stride` is kept; a power of two. */
  stride: number
  kept: KeptRequest[]
  /** How often `kept` has changed. */
  changes: number
}

export interface KeptRequest {
  atS: number
  request: SampledRequest
  /** One for each slot. */
  places: PlaceOutcome[]
}

export type SampledRequest = Pick<
  AdRequest,
  | 'country'
  | 'region'
  | 'city'
  | 'lat'
  | 'lon'
  | 'categories'
  | 'device'
  | 'gender'
  | 'age'
  | 'attributes'
  | 'isAnyone'
  | 'blockedCategories'
  | 'blockedDomains'
> & {
  slots: Omit<Slot, 'id'>[]
  /** Where it came from. Missing in what was kept before `sites` were asked. */
  site?: string | null
  app?: string | null
  sourceId?: number | null
}

/** The source of a request, with what it refuses. */
export type SampledSource = Pick<Source, 'sourceId' | 'refuses'> & Partial<Pick<Source, 'domain'>>

/** Requests kept per hour and process. A sandbox may pass months within a minute. */
export const MOST_KEPT = { real: 128, sandbox: 32 }
/** Hours kept in memory while the database is away, or a sandbox passes hours at once. */
const MOST_HOURS = 8
/**
 * How much is kept of a request, which may be as large as its body allows. The bound for categories is above the size
 * of the taxonomy; only image types are kept, because our banners are images.
 */
const MOST = { places: 10, sizes: 20, types: 20, domains: 200, categories: 400 }

export function createTrafficSample(nowMs: () => number, mostKept = MOST_KEPT.real): TrafficSample {
  let hours: TrafficHour[] = []

  function current(): TrafficHour {
    const hourMs = nowMs() - (nowMs() % HOUR_MS)
    const last = hours.at(-1)
    // If the clock is set back by up to an hour, the last hour continues; if further, the sample starts over.
    if (last && last.hourMs >= hourMs && last.hourMs <= hourMs + HOUR_MS) return last
    if (last && last.hourMs > hourMs) hours = []
    const fresh = { hourMs, requests: 0, stride: 1, kept: [], changes: 0 }
    hours = [...hours, fresh].slice(-MOST_HOURS)
    return fresh
  }

  let hour = current()

  return {
    see(request, source) {
      if (hour.requests++ % hour.stride !== 0) return null
      const now = current()
      if (now !== hour) {
        hour.requests--
        hour = now
        hour.requests++
      }
      if (hour.kept.length >= mostKept) thinOut(hour)
      const kept = keptOf(source ? withRefused(request, source) : request, source, Math.floor(nowMs() / 1000))
      hour.kept.push(kept)
      hour.changes++
      return createOutcomeNotes(
        request.slots.slice(0, MOST.places).map(slot => slot.id),
        kept.places,
      )
    },
    hours() {
      hour = current()
      return hours
    },
    forget(hourMs) {
      hours = hours.filter(one => one === hour || one.hourMs !== hourMs)
    },
  }
}

function thinOut(hour: TrafficHour): void {
  hour.stride *= 2
  hour.kept = hour.kept.filter((_, n) => n % 2 === 0)
}

/**
 * A copy, not the request itself: the engine learns which code makes objects that live long, and would allocate the
 * parts of every request among the old objects, where collecting them costs a tenth of a bid.
 */
function keptOf(request: AdRequest, source: SampledSource | undefined, atS: number): KeptRequest {
  const { country, region, city, lat, lon, categories, device, gender, age, attributes, isAnyone } = request
  const slots = request.slots.slice(0, MOST.places)
  const kept: SampledRequest = {
    ...{ country, region, city, lat: nearby(lat), lon: nearby(lon), categories, device, gender, age },
    ...(isAnyone && { isAnyone }),
    ...(attributes && { attributes }),
    slots: slots.map(shortened),
    site: request.site ?? source?.domain ?? null,
    app: request.app,
    sourceId: source?.sourceId ?? null,
    blockedCategories: request.blockedCategories.slice(0, MOST.categories),
    blockedDomains: request.blockedDomains.slice(0, MOST.domains),
  }
  return { atS, request: structuredClone(kept), places: slots.map(() => ({ won: null, refused: {} })) }
}

/** A copy of the request with what the source refuses, as it is kept for explanations. */
export function withRefused(request: AdRequest, { refuses }: Pick<Source, 'refuses'>): AdRequest {
  if (!refuses) return request
  return {
    ...request,
    blockedCategories: [...request.blockedCategories, ...refuses.categories],
    blockedDomains: [...request.blockedDomains, ...refuses.advertisers],
  }
}

/** A hundredth of a degree is about a kilometre: exact enough for a radius, and it reveals nobody's home. */
function nearby(degrees: number | null): number | null {
  return degrees === null ? null : Math.round(degrees * 100) / 100
}

function shortened({ id: _, ...slot }: Slot): Omit<Slot, 'id'> {
  const images = slot.mimes?.filter(type => type.startsWith('image/')).slice(0, MOST.types) ?? null
  const sizes = slot.sizes.slice(0, MOST.sizes)
  const floors = slot.sizeFloors && { sizeFloors: slot.sizeFloors.slice(0, MOST.sizes) }
  return { ...slot, ...floors, sizes, mimes: images }
}

/** The source of a kept request, as far as decisions ask; null: it was not noted. */
export function sourceIn({ request: { sourceId } }: KeptRequest) {
  return sourceId == null ? null : { sourceId, allowsCpc: true }
}

/** A kept request in the form that can be matched, without a user and ids. */
export function requestOf({ request }: KeptRequest): AdRequest {
  const slots = request.slots.map((slot, n) => ({ ...slot, id: String(n) }))
  return {
    ...request,
    slots,
    id: '',
    userKey: null,
    userKeyOn: undefined,
    test: false,
    site: request.site ?? null,
    app: request.app ?? null,
    os: null,
  }
}
