// Ceilings of a customer and of its pairs, as the endpoints of both show them.

import { Type } from 'typebox'
import { Body, Maybe, Money } from '../../http/schema.ts'
import { MAX_UNITS } from '../../kernel/money.ts'

const most = (description: string) => Maybe(Money(0.01, MAX_UNITS, { description }))

export const Ceilings = Body(
  {
    dailySpend: most('Of one campaign a day.'),
    dailySpendAll: most('Of all enabled campaigns together a day.'),
    totalSpend: most('Of one campaign in its whole life.'),
    cpm: most('Of the price of 1,000 impressions.'),
    cpc: most('Of the price of a click.'),
    increasePercent: Maybe(
      Type.Number({
        minimum: 0,
        maximum: 1_000_000,
        description: 'The largest increase of a budget or a price by one change, in percent.',
      }),
    ),
    writesPerHour: Maybe(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: 'Changed objects in one hour of the clock.',
      }),
    ),
  },
  { description: 'The most that a caller may make of budgets and prices; those left out have no ceiling.' },
)
