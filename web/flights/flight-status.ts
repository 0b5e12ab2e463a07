// The status of a flight, by the rule that gives its campaign a status: own flights replace the one it was born with.

import type { Campaign } from '../../src/manage/campaigns/contract.ts'
import type { Flight } from '../../src/manage/campaigns/flights/contract.ts'

export type FlightStatus = Campaign['status'] | 'unused'

type Switched = Pick<Campaign, 'enabled' | 'status'>

/** `flights` are all flights of the campaign. */
export function flightStatus(
  flight: Flight,
  flights: readonly Flight[],
  campaign: Switched,
  nowS: number,
): FlightStatus {
  if (flight.default && flights.some(other => !other.default)) return 'unused'
  if (flight.end <= nowS) return 'ended'
  if (!campaign.enabled) return 'paused'
  if (flight.start > nowS) return 'scheduled'
  return campaign.status === 'spent' ? 'spent' : 'running'
}
