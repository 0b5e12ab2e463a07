// The fields of a campaign's contract that say what is paid for, and how much.

import { Type } from 'typebox'
import { Choice, Maybe, Money, Nullable } from '../../http/schema.ts'

const pricing = Choice(['cpm', 'cpc'], {
  description:
    'What is paid for: `cpm` (default), impressions, by the thousand; or `cpc`, clicks. An ad that was served keeps the ' +
    'terms of that moment.',
})

export const MAX_CPM = 1_000_000
export const MAX_CPC = 1_000

export const priceFields = {
  cpm: Maybe(
    Money(0.01, MAX_CPM, {
      description:
        'Price of 1,000 impressions, or the highest bid. Default: `DEFAULT_CPM` of the deployment. Kept and not used with ' +
        '`pricing: cpc`.',
      examples: [2.4],
    }),
  ),
  pricing: Maybe(pricing),
  cpc: Maybe(
    Money(0.01, MAX_CPC, {
      description:
        'Price of a counted click, with at most 2 decimals. Required with `pricing: cpc`, whose impressions cost nothing; ' +
        'refused with `cpm`.',
      examples: [0.35],
    }),
  ),
}

export const priceShown = {
  cpm: Type.Number({
    description: 'Price of 1,000 impressions, or the highest bid; not used with `pricing: cpc`.',
  }),
  pricing,
  cpc: Nullable(
    Type.Number({ description: 'Price of a counted click, in currency units; null with `pricing: cpm`.' }),
  ),
}
