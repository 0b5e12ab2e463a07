// From a flight to its draft, and from the draft to what is sent.

import type { Campaign } from '../../src/manage/campaigns/contract.ts'
import type { Flight, NewFlight } from '../../src/manage/campaigns/flights/contract.ts'
import { numberToSend, writeNumber } from '../form/number.ts'
import { type FlightDraft, periodOf } from './draft.ts'

export function flightDraftOf({ name, start, end, totalSpend }: Flight): FlightDraft {
  return { name, start, end, totalSpend: totalSpend === null ? '' : writeNumber(totalSpend, 2) }
}

/** `others` excludes the flight itself. */
export function flightBodyOf(
  draft: FlightDraft,
  campaign: Pick<Campaign, 'start' | 'end'>,
  others: readonly Flight[],
): NewFlight {
  return {
    ...periodOf(draft, campaign, others),
    totalSpend: numberToSend(draft.totalSpend, 2) as number | null,
  }
}
