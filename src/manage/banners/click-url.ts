// Where a click on a banner leads: its own address or the customer's website, with the parameters of the banner, else
// of its campaign, else of its customer.

import { type ClickValues, finishedUrl } from '../../kernel/click-parameters.ts'
import { type AboveBanner, NAMES_ABOVE } from './click-url-queries.ts'

export interface LeadingSomewhere {
  bid: number
  name: string
  external_id: string | null
  width: number | null
  height: number | null
  click_url: string | null
  click_parameters: string | null
  above: AboveBanner
}

/** Null: nowhere. */
export function landingUrlOf(row: LeadingSomewhere): string | null {
  const [website, template, ...names] = row.above
  const url = row.click_url ?? website
  if (url === null) return null
  const values: ClickValues = {
    'banner.bid': row.bid,
    'banner.name': row.name,
    'banner.externalId': row.external_id,
    'banner.size': row.width && row.height ? `${row.width}x${row.height}` : null,
  }
  NAMES_ABOVE.forEach(([macro], at) => {
    values[macro] = names[at] ?? null
  })
  return finishedUrl(url, row.click_parameters ?? template, values)
}
