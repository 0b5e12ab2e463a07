// Edits budget, dates, prices and state of many campaigns at once; empty fields change nothing. The form names the
// campaigns and the sum of their budgets. Each campaign has its own result, and one click undoes all.

import { Button, Group, SegmentedControl, Select, SimpleGrid, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { BulkProgress, BulkResults } from '../bulk/results.tsx'
import { Dialog } from '../form/dialog.tsx'
import { type FieldErrors, useFieldErrors } from '../form/field-errors.ts'
import { FormProblem } from '../form/form-problem.tsx'
import { readNumber } from '../form/number.ts'
import { NumberField } from '../form/number-field.tsx'
import { useUnsaved } from '../form/unsaved.ts'
import { WallTime } from '../form/wall-time.tsx'
import { currencySign, decimal, exactMoney, money } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { nowMs } from '../sandbox/clock.ts'
import { t } from '../words/words.ts'
import { budgetProblem, cpcProblem, cpmProblem } from './budget.ts'
import { type Applied, applyTo } from './bulk-apply.ts'
import {
  backOperationsOf,
  type Change,
  isNothing,
  isPriceMissing,
  NO_CHANGE,
  operationsOf,
  totalsOf,
  type Where,
} from './bulk-change.ts'
import { type Campaign, campaignsQuery, useCampaignsAnew } from './data.ts'
import { dailyOfMonth } from './months.ts'

interface BulkEditProps {
  cuid: number
  chosen: readonly Campaign[]
  onDone: () => void
  onClose: () => void
}

interface Done extends Applied {
  /** The campaigns before the change. */
  before: readonly Campaign[]
  isBack: boolean
}

export function BulkEdit({ cuid, chosen, onDone, onClose }: BulkEditProps) {
  const [change, setChange] = useState(NO_CHANGE)
  const [running, setRunning] = useState<{ done: number; of: number } | null>(null)
  const [done, setDone] = useState<Done | null>(null)
  const errors = useFieldErrors(change)
  const timezone = useZone()
  const where = useWhere()
  const client = useQueryClient()
  const anew = useCampaignsAnew(cuid)
  const run = async (campaigns: readonly Campaign[], undone?: Done) => {
    setRunning({ done: 0, of: campaigns.length })
    errors.clear()
    try {
      // Percentages apply to the current budgets, not to those when the page was opened.
      const before = undone ? campaigns : await asTheyAre(campaigns)
      const stepsOf = (campaign: Campaign) =>
        undone
          ? backOperationsOf(campaign, change, undone.etags.get(campaign.cid), where)
          : operationsOf(campaign, change, where)
      const tell = (count: number) => setRunning({ done: count, of: campaigns.length })
      const applied = await applyTo(cuid, before, stepsOf, timezone, tell)
      setDone({ ...applied, before, isBack: undone !== undefined })
    } catch (error) {
      errors.take(error)
    } finally {
      setRunning(null)
      anew()
    }
  }
  const asTheyAre = async (campaigns: readonly Campaign[]) => {
    const list = await client.fetchQuery({ ...campaignsQuery(cuid), staleTime: 0 })
    const now = new Map(list.map(campaign => [campaign.cid, campaign]))
    return campaigns.map(campaign => now.get(campaign.cid) ?? campaign)
  }
  const changed = done ? done.before.filter(({ cid }) => done.etags.has(cid)) : []
  return (
    <Dialog
      opened
      locked={running !== null}
      onClose={done ? onDone : onClose}
      size="lg"
      title={t('bulk.title', { count: chosen.length })}
    >
      {running ? (
        <BulkProgress {...running} />
      ) : done ? (
        <>
          <FormProblem errors={errors} />
          <BulkResults
            results={done.before.map(({ cid, name }) => ({
              id: cid,
              name,
              refusal: done.refusals.get(cid) ?? null,
            }))}
            onClose={onDone}
            onUndo={changed.length > 0 && !done.isBack ? () => run(changed, done) : undefined}
          />
        </>
      ) : (
        <Form
          chosen={chosen}
          change={change}
          errors={errors}
          onChange={setChange}
          onApply={() => run(chosen)}
          onCancel={onClose}
        />
      )}
    </Dialog>
  )
}

const useWhere = () => ({ nowS: nowMs() / 1000, timeZone: useZone() })

/** The other campaigns are only counted. */
const NAMED = 5

export function namesOf(chosen: readonly Campaign[]): string {
  const names = chosen.slice(0, NAMED).map(({ name }) => name)
  const more = chosen.length - names.length
  return more > 0 ? t('bulk.which', { names: names.join(', '), more }) : names.join(', ')
}

/** A budget cannot be lowered by 100% or more. */
const percentProblem = (percent: number) =>
  percent > -100 ? undefined : t('error.atLeast', { min: decimal(-99.99, 2) })

interface FormProps {
  chosen: readonly Campaign[]
  change: Change
  errors: FieldErrors
  onChange: (change: Change) => void
  onApply: () => void
  onCancel: () => void
}

function Form({ chosen, change, errors, onChange, onApply, onCancel }: FormProps) {
  const timezone = useZone()
  const set = (part: Partial<Change>) => onChange({ ...change, ...part })
  const nothing = isNothing(change)
  const isBudgetWrong = isWrong(change.budget, budgetCheckOf(change))
  const isPriceWrong = isWrong(change.price, priceCheckOf(change))
  const wrong = isBudgetWrong || isPriceWrong || isPriceMissing(change)
  const totals = totalsOf(chosen, isBudgetWrong ? { ...change, budget: '' } : change, useWhere())
  useUnsaved(!nothing)
  return (
    <form
      noValidate
      onSubmit={event => {
        event.preventDefault()
        if (!nothing && !wrong) onApply()
      }}
    >
      <Stack>
        <FormProblem errors={errors} />
        <Text size="sm" c="dimmed">
          {namesOf(chosen)}
        </Text>
        <BudgetChange change={change} set={set} />
        <Text size="sm" role="status">
          {t('bulk.totals', inWords(totals.daily))}
          {totals.monthly && ` ${t('bulk.totalsOfMonth', inWords(totals.monthly))}`}
        </Text>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <WallTime
            label={t('campaigns.start')}
            value={change.start}
            timeZone={timezone}
            onChange={start => set({ start })}
          />
          <WallTime
            label={t('campaigns.end')}
            value={change.end}
            timeZone={timezone}
            onChange={end => set({ end })}
          />
        </SimpleGrid>
        <PriceChange change={change} set={set} />
        <Select
          label={t('bulk.state')}
          allowDeselect={false}
          value={change.state}
          data={(['keep', 'pause', 'resume'] as const).map(value => ({ value, label: t(`bulk.${value}`) }))}
          onChange={state => set({ state: state as Change['state'] })}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {t('form.cancel')}
          </Button>
          <Button type="submit" disabled={nothing || wrong}>
            {t('bulk.apply', { count: chosen.length })}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const inWords = ({ before, after }: { before: number; after: number }) => ({
  before: money(before),
  after: money(after),
})

interface PartProps {
  change: Change
  set: (part: Partial<Change>) => void
}

type Check = (value: number) => string | undefined

const budgetCheckOf = ({ budgetBy }: Change): Check =>
  budgetBy === 'percent' ? percentProblem : budgetProblem
const priceCheckOf = ({ pricing }: Change): Check => (pricing === 'cpc' ? cpcProblem : cpmProblem)

function isWrong(typed: string, check: Check): boolean {
  const read = readNumber(typed, 2)
  return typed !== '' && (!('value' in read) || check(read.value) !== undefined)
}

function shownBudget(value: number, by: 'amount' | 'month', { nowS, timeZone }: Where): string {
  const amount = exactMoney(value)
  if (by === 'amount') return t('campaigns.aDay', { amount })
  return t('campaigns.aMonth', { amount, daily: money(dailyOfMonth(Math.max(0, value), nowS, timeZone)) })
}

function BudgetChange({ change, set }: PartProps) {
  const where = useWhere()
  return (
    <Group align="flex-start" gap="sm">
      <NumberField
        label={t(change.budgetBy === 'month' ? 'campaigns.monthly' : 'campaigns.budget')}
        description={t('bulk.empty')}
        decimals={2}
        sign={change.budgetBy === 'percent' ? '%' : currencySign()}
        show={value =>
          change.budgetBy !== 'percent'
            ? shownBudget(value, change.budgetBy, where)
            : t(value < 0 ? 'bulk.less' : 'bulk.more', { percent: decimal(Math.abs(value), 2) })
        }
        check={budgetCheckOf(change)}
        value={change.budget}
        maw={320}
        autoFocus
        onChange={budget => set({ budget })}
      />
      <SegmentedControl
        mt={{ base: 0, xs: 46 }}
        aria-label={t('bulk.budgetBy')}
        value={change.budgetBy}
        data={[
          { value: 'amount', label: t('bulk.amount') },
          { value: 'month', label: t('bulk.month') },
          { value: 'percent', label: t('bulk.percent') },
        ]}
        onChange={budgetBy => set({ budgetBy: budgetBy as Change['budgetBy'] })}
      />
    </Group>
  )
}

function PriceChange({ change, set }: PartProps) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <Select
        label={t('campaigns.pricing')}
        allowDeselect={false}
        value={change.pricing}
        data={[
          { value: 'keep', label: t('bulk.keep') },
          { value: 'cpm', label: t('campaigns.pricingCpm') },
          { value: 'cpc', label: t('campaigns.pricingCpc') },
        ]}
        onChange={pricing => set({ pricing: pricing as Change['pricing'], price: '' })}
      />
      {change.pricing !== 'keep' && (
        <NumberField
          label={t(`campaigns.${change.pricing}`)}
          required={change.pricing === 'cpc'}
          decimals={2}
          sign={currencySign()}
          show={exactMoney}
          check={priceCheckOf(change)}
          value={change.price}
          onChange={price => set({ price })}
        />
      )}
    </SimpleGrid>
  )
}
