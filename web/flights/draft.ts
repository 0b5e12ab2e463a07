// A flight being edited: where a new one fits, and what is sent. Fields show minutes, but periods have seconds: a
// minute in which the campaign or a neighbouring flight begins or ends means that exact second.

import type { Campaign } from '../../src/manage/campaigns/contract.ts'
import type { Flight, NewFlight } from '../../src/manage/campaigns/flights/contract.ts'

export interface FlightDraft {
  name: string
  /** Unix seconds; null while the field is empty. */
  start: number | null
  end: number | null
  /** As typed; empty: no limit. */
  totalSpend: string
}

type Period = Pick<Campaign, 'start' | 'end'>

const MINUTE_S = 60
const WEEK_S = 7 * 86_400

const minuteOf = (unixS: number) => Math.floor(unixS / MINUTE_S)

/** A week in the first gap ahead, or the whole campaign if there is no gap. */
export function newFlightDraft(
  campaign: Period,
  flights: readonly Flight[],
  nowS: number,
  name: string,
): FlightDraft {
  const own = flights.filter(flight => !flight.default).sort((a, b) => a.start - b.start)
  let start = Math.max(campaign.start, minuteOf(nowS) * MINUTE_S)
  for (const flight of own) {
    if (flight.start > start) break
    start = Math.max(start, flight.end)
  }
  if (Math.max(start, nowS) >= campaign.end)
    return { name, start: campaign.start, end: campaign.end, totalSpend: '' }
  const next = own.find(flight => flight.start > start)?.start ?? campaign.end
  return { name, start, end: Math.min(start + WEEK_S, next, campaign.end), totalSpend: '' }
}

/**
 * The body that the API expects. Empty fields are sent empty, so that the API says what is missing. `others` excludes
 * the flight itself.
 */
export function periodOf(
  draft: Pick<FlightDraft, 'name' | 'start' | 'end'>,
  campaign: Period,
  others: readonly Flight[],
): NewFlight {
  const own = others.filter(flight => !flight.default)
  const starts = [campaign.start, ...own.map(flight => flight.end)]
  const ends = [campaign.end, ...own.map(flight => flight.start)]
  return {
    name: draft.name,
    start: exact(draft.start, starts, Math.max) as number,
    end: exact(draft.end, ends, Math.min) as number,
  }
}

function exact(
  written: number | null,
  edges: readonly number[],
  choose: (...edges: number[]) => number,
): number | null {
  // A time with seconds was not typed into the field.
  if (written === null || written % MINUTE_S !== 0) return written
  const meant = edges.filter(edge => minuteOf(edge) === minuteOf(written))
  return meant.length > 0 ? choose(...meant) : written
}
