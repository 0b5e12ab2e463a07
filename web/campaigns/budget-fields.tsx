// The budget of a new campaign as people think of it: per day, per month, or in total. Every choice becomes a daily
// budget, some with a total; a strict limit per month becomes one flight with a total for each month.

import { Checkbox, Select, SimpleGrid, Stack } from '@mantine/core'
import type { FieldErrors } from '../form/field-errors.ts'
import { readNumber, writeNumber } from '../form/number.ts'
import { NumberField, type NumberFieldProps } from '../form/number-field.tsx'
import { currencySign, exactMoney, money, month } from '../format/format.ts'
import { t } from '../words/words.ts'
import { budgetProblem } from './budget.ts'
import type { CampaignDraft } from './fields.tsx'
import { DAYS_OF_MONTH, dailyOfMonth, dailyOfTotal, type Month, monthsOf } from './months.ts'
import { daysOf } from './most-cost.ts'

export interface BudgetDraft {
  per: 'day' | 'month' | 'total'
  /** As it was typed. */
  monthly: string
  /** The amount is a limit for each calendar month. */
  byMonth: boolean
}

export const BY_DAY: BudgetDraft = { per: 'day', monthly: '', byMonth: true }

export function amountOf(typed: string): number | null {
  const read = readNumber(typed, 2)
  return 'value' in read && read.value > 0 ? read.value : null
}

/** The draft with the daily budget that follows from the chosen one. */
export function withDaily(draft: CampaignDraft, timeZone: string): CampaignDraft {
  const { budget, start, end, hours } = draft
  if (budget.per === 'month') {
    const monthly = amountOf(budget.monthly)
    return {
      ...draft,
      dailySpend: monthly === null ? '' : writeNumber(dailyOfMonth(monthly), 2),
      totalSpend: '',
    }
  }
  if (budget.per === 'day') return draft
  const total = amountOf(draft.totalSpend)
  const days = start === null || end === null ? 0 : daysOf(start, end, timeZone, hours)
  const isKnown = total !== null && days > 0
  return { ...draft, dailySpend: isKnown ? writeNumber(dailyOfTotal(total, days), 2) : '' }
}

/** The months with a limit of their own; none unless a limit per month was chosen. */
export function monthsIn({ budget, start, end }: CampaignDraft, timeZone: string): Month[] {
  const monthly = amountOf(budget.monthly)
  if (budget.per !== 'month' || !budget.byMonth || monthly === null || start === null || end === null)
    return []
  return monthsOf(start, end, timeZone, monthly)
}

/** The flights of those months, as the API expects them. */
export function flightsIn(draft: CampaignDraft, timeZone: string) {
  return monthsIn(draft, timeZone).map(({ start, end, totalSpend }) => ({
    ...{ name: month(start, timeZone), start, end, totalSpend },
  }))
}

/** The monthly amount starts as what the daily budget costs in a month. */
function chosen(per: BudgetDraft['per'], { budget, dailySpend }: CampaignDraft): BudgetDraft {
  const daily = amountOf(dailySpend)
  if (per !== 'month' || budget.monthly !== '' || daily === null) return { ...budget, per }
  return { ...budget, per, monthly: writeNumber(Math.round(daily * DAYS_OF_MONTH), 2) }
}

interface BudgetFieldsProps {
  draft: CampaignDraft
  errors: FieldErrors
  onChange: (change: Partial<CampaignDraft>) => void
}

export function BudgetFields({ draft, errors, onChange }: BudgetFieldsProps) {
  const { budget } = draft
  const set = (change: Partial<BudgetDraft>) => onChange({ budget: { ...budget, ...change } })
  const problem = errors.at('/dailySpend') ?? errors.at('/totalSpend')
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Select
          label={t('campaigns.per')}
          description={t('campaigns.perAbout')}
          allowDeselect={false}
          value={budget.per}
          data={[
            { value: 'day', label: t('campaigns.perDay') },
            { value: 'month', label: t('campaigns.perMonth') },
            { value: 'total', label: t('campaigns.perTotal') },
          ]}
          onChange={per => onChange({ budget: chosen(per as BudgetDraft['per'], draft) })}
        />
        {budget.per === 'day' && <Daily draft={draft} errors={errors} onChange={onChange} />}
        {budget.per === 'month' && (
          <NumberField
            label={t('campaigns.monthly')}
            description={t('campaigns.monthlyAbout')}
            required
            sign={currencySign()}
            decimals={2}
            show={value =>
              t('campaigns.aMonth', {
                amount: exactMoney(value),
                daily: money(dailyOfMonth(Math.max(0, value))),
              })
            }
            check={budgetProblem}
            value={budget.monthly}
            error={problem}
            onChange={monthly => set({ monthly })}
          />
        )}
        {budget.per === 'total' && (
          <NumberField
            label={t('campaigns.total')}
            description={t('campaigns.perTotalAbout')}
            required
            sign={currencySign()}
            decimals={2}
            show={value => t('campaigns.inAll', { amount: exactMoney(value) })}
            check={budgetProblem}
            value={draft.totalSpend}
            error={problem}
            onChange={totalSpend => onChange({ totalSpend })}
          />
        )}
      </SimpleGrid>
      {budget.per === 'day' && <Total draft={draft} errors={errors} onChange={onChange} />}
      {budget.per === 'month' && (
        <Checkbox
          label={t('campaigns.byMonth')}
          description={t('campaigns.byMonthAbout')}
          checked={budget.byMonth}
          onChange={event => set({ byMonth: event.currentTarget.checked })}
        />
      )}
    </Stack>
  )
}

export function Daily({ draft, errors, onChange }: BudgetFieldsProps) {
  return (
    <NumberField
      label={t('campaigns.budget')}
      description={t('campaigns.budgetAbout')}
      required
      sign={currencySign()}
      decimals={2}
      show={value => t('campaigns.aDay', { amount: exactMoney(value) })}
      check={budgetProblem}
      value={draft.dailySpend}
      error={errors.at('/dailySpend')}
      onChange={dailySpend => onChange({ dailySpend })}
    />
  )
}

export function Total({ draft, errors, onChange }: BudgetFieldsProps) {
  return (
    <TotalField
      description={t('campaigns.totalAbout')}
      value={draft.totalSpend}
      error={errors.at('/totalSpend')}
      onChange={totalSpend => onChange({ totalSpend })}
    />
  )
}

type TotalFieldProps = Pick<NumberFieldProps, 'description' | 'value' | 'error' | 'onChange'>

/** The most that a campaign or flight may spend in total; empty: no limit. */
export function TotalField(props: TotalFieldProps) {
  return (
    <NumberField
      label={t('campaigns.total')}
      sign={currencySign()}
      decimals={2}
      show={value => t('campaigns.inAll', { amount: exactMoney(value) })}
      check={budgetProblem}
      {...props}
    />
  )
}
