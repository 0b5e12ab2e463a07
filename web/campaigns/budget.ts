// The limits of budgets, prices and caps, checked at their fields before anything is sent.

import { MAX_CPC, MAX_CPM, MAX_FREQ, MAX_SPEND, MIN_AMOUNT } from '../../src/manage/campaigns/contract.ts'
import { amountWithin, within } from '../form/range.ts'

export const budgetProblem = amountWithin({ minimum: MIN_AMOUNT, maximum: MAX_SPEND })
export const cpmProblem = amountWithin({ minimum: MIN_AMOUNT, maximum: MAX_CPM })
export const cpcProblem = amountWithin({ minimum: MIN_AMOUNT, maximum: MAX_CPC })
export const capProblem = within({ minimum: 0, maximum: MAX_FREQ })
