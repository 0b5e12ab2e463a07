// The budget of a new campaign as people think of it: per day, per month, or in total. Every choice has a daily budget,
// those per month or in total also the limit that was typed.

import { Select, SimpleGrid, Stack } from '@mantine/core'
import type { FieldErrors } from '../form/field-errors.ts'
import { NumberField, type NumberFieldProps } from '../form/number-field.tsx'
import { currencySign, exactMoney, money } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { nowMs } from '../sandbox/clock.ts'
import { t } from '../words/words.ts'
import { budgetProblem } from './budget.ts'
import { chosen } from './budget-draft.ts'
import type { CampaignDraft } from './draft.ts'
import { dailyOfMonth } from './months.ts'

interface BudgetFieldsProps {
  draft: CampaignDraft
  errors: FieldErrors
  onChange: (change: Partial<CampaignDraft>) => void
}

export function BudgetFields({ draft, errors, onChange }: BudgetFieldsProps) {
  const { per, start } = draft
  const timezone = useZone()
  const problem = errors.at('/dailySpend') ?? errors.at('/totalSpend')
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Select
          label={t('campaigns.per')}
          description={t('campaigns.perAbout')}
          allowDeselect={false}
          value={per}
          data={[
            { value: 'day', label: t('campaigns.perDay') },
            { value: 'month', label: t('campaigns.perMonth') },
            { value: 'total', label: t('campaigns.perTotal') },
          ]}
          onChange={next => onChange(chosen(next as CampaignDraft['per'], draft, timezone))}
        />
        {per === 'day' && <Daily draft={draft} errors={errors} onChange={onChange} />}
        {per === 'month' && (
          <NumberField
            label={t('campaigns.monthly')}
            description={t('campaigns.monthlyAbout')}
            required
            sign={currencySign()}
            decimals={2}
            show={value =>
              t('campaigns.aMonth', {
                amount: exactMoney(value),
                daily: money(dailyOfMonth(Math.max(0, value), start ?? nowMs() / 1000, timezone)),
              })
            }
            check={budgetProblem}
            value={draft.monthlySpend}
            error={errors.at('/monthlySpend') ?? errors.at('/dailySpend')}
            onChange={monthlySpend => onChange({ monthlySpend })}
          />
        )}
        {per === 'total' && (
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
      {per === 'day' && <Total draft={draft} errors={errors} onChange={onChange} />}
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

/** Of a campaign that exists; empty: no limit. */
export function Monthly({ draft, errors, onChange }: BudgetFieldsProps) {
  return (
    <NumberField
      label={t('campaigns.monthly')}
      description={t('campaigns.monthlyLimit')}
      sign={currencySign()}
      decimals={2}
      show={exactMoney}
      check={budgetProblem}
      value={draft.monthlySpend}
      error={errors.at('/monthlySpend')}
      onChange={monthlySpend => onChange({ monthlySpend })}
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
