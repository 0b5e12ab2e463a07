// The ceilings of a customer and of its pairs, as the endpoints of both show them.

import { Type } from 'typebox'
import { Body, Maybe, Money } from '../../../http/schema.ts'
import { MAX_UNITS } from '../../../kernel/money.ts'

/** The allowed range of each ceiling; in currency units unless its name says otherwise. */
const AMOUNT = { minimum: 0.01, maximum: MAX_UNITS }
export const CEILING_RANGES = {
  dailySpend: AMOUNT,
  dailySpendAll: AMOUNT,
  totalSpend: AMOUNT,
  cpm: AMOUNT,
  cpc: AMOUNT,
  increasePercent: { minimum: 0, maximum: 1_000_000 },
  writesPerHour: { minimum: 1, maximum: 1_000_000 },
}

const most = (description: string) => Maybe(Money(AMOUNT.minimum, AMOUNT.maximum, { description }))

export const Ceilings = Body(
  {
    dailySpend: most('For one campaign per day.'),
    dailySpendAll: most('For all enabled campaigns together per day.'),
    totalSpend: most('For one campaign in its whole life.'),
    cpm: most('For the price of 1,000 impressions.'),
    cpc: most('For the price of a click.'),
    increasePercent: Maybe(
      Type.Number({
        ...CEILING_RANGES.increasePercent,
        description: 'The largest increase of a budget or a price by one change, in percent.',
      }),
    ),
    writesPerHour: Maybe(
      Type.Integer({
        ...CEILING_RANGES.writesPerHour,
        description: 'Changed objects per clock hour.',
      }),
    ),
  },
  { description: 'The highest budgets and prices that a caller may set; those left out have no ceiling.' },
)
