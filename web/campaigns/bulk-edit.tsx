// Budget, dates and state of many campaigns at once: empty fields stay as they are. Each campaign has its own result.

import { Button, Group, SegmentedControl, Select, SimpleGrid, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { BulkProgress, BulkResults, type RowResult } from '../bulk/results.tsx'
import { type BulkOperation, type BulkOptions, refusalOf, runBulk } from '../bulk/run.ts'
import { Dialog } from '../form/dialog.tsx'
import { type FieldErrors, useFieldErrors } from '../form/field-errors.ts'
import { FormProblem } from '../form/form-problem.tsx'
import { readNumber } from '../form/number.ts'
import { NumberField } from '../form/number-field.tsx'
import { useUnsaved } from '../form/unsaved.ts'
import { WallTime } from '../form/wall-time.tsx'
import { currencySign, decimal, money } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { t } from '../words/words.ts'
import { budgetProblem } from './budget.ts'
import { type Campaign, campaignsQuery, useCampaignsAnew } from './data.ts'

interface Change {
  budget: string
  /** The new budget itself, or how many percent more or less. */
  budgetBy: 'amount' | 'percent'
  start: number | null
  end: number | null
  state: 'keep' | 'pause' | 'resume'
}
/** So that there is progress to show. */
const AT_ONCE = 200
const NO_CHANGE: Change = { budget: '', budgetBy: 'amount', start: null, end: null, state: 'keep' }

interface BulkEditProps {
  cuid: number
  chosen: readonly Campaign[]
  onDone: () => void
  onClose: () => void
}

export function BulkEdit({ cuid, chosen, onDone, onClose }: BulkEditProps) {
  const [change, setChange] = useState(NO_CHANGE)
  const [running, setRunning] = useState<{ done: number; of: number } | null>(null)
  const [results, setResults] = useState<RowResult[] | null>(null)
  const errors = useFieldErrors()
  const timezone = useZone()
  const client = useQueryClient()
  const anew = useCampaignsAnew(cuid)
  const apply = async () => {
    setRunning({ done: 0, of: chosen.length })
    errors.clear()
    try {
      // Percent are of the budgets as they are now, not as they were when the page was opened.
      const list = await client.fetchQuery({ ...campaignsQuery(cuid), staleTime: 0 })
      const now = new Map(list.map(campaign => [campaign.cid, campaign]))
      const campaigns = chosen.map(campaign => now.get(campaign.cid) ?? campaign)
      const refusals = await applyTo(cuid, campaigns, change, timezone, done =>
        setRunning({ done, of: chosen.length }),
      )
      setResults(chosen.map(({ cid, name }) => ({ id: cid, name, refusal: refusals.get(cid) ?? null })))
    } catch (error) {
      errors.take(error)
    } finally {
      setRunning(null)
      anew()
    }
  }
  return (
    <Dialog
      opened
      locked={running !== null}
      onClose={results ? onDone : onClose}
      size="lg"
      title={t('bulk.title', { count: chosen.length })}
    >
      {results ? (
        <BulkResults results={results} onClose={onDone} />
      ) : running ? (
        <BulkProgress {...running} />
      ) : (
        <Form change={change} errors={errors} onChange={setChange} onApply={apply} onCancel={onClose} />
      )}
    </Dialog>
  )
}

/** Why campaigns were left as they are. */
async function applyTo(
  cuid: number,
  campaigns: readonly Campaign[],
  change: Change,
  timeZone: string,
  onProgress: (done: number) => void,
): Promise<Map<number, string>> {
  const refusals = new Map<number, string>()
  const run = async (options: BulkOptions) => {
    const left = campaigns.filter(({ cid }) => !refusals.has(cid))
    const steps = left.flatMap(campaign => operationsOf(campaign, change).map(step => ({ campaign, step })))
    const operations = steps.map(({ step }) => step)
    const answers = await runBulk(cuid, operations, options)
    for (const [index, { campaign }] of steps.entries()) {
      const refusal = refusalOf(answers[index]!, timeZone)
      if (refusal) refusals.set(campaign.cid, refusal)
    }
  }
  // A campaign gets all of its changes or none: each is tried first.
  if (campaigns.some(campaign => operationsOf(campaign, change).length > 1)) await run({ dryRun: true })
  const ofEach = Math.max(1, ...campaigns.map(campaign => operationsOf(campaign, change).length))
  const tell = (done: number) => onProgress(refusals.size + Math.floor(done / ofEach))
  await run({ atOnce: AT_ONCE * ofEach, onProgress: tell })
  return refusals
}

function operationsOf({ cid, dailySpend, enabled }: Campaign, change: Change): BulkOperation[] {
  const body: Record<string, number> = {}
  const read = readNumber(change.budget, 2)
  if ('value' in read) {
    const percent = Math.round(dailySpend * (100 + read.value)) / 100
    body.dailySpend = change.budgetBy === 'amount' ? read.value : percent
  }
  if (change.start !== null) body.start = change.start
  if (change.end !== null) body.end = change.end
  const operations: BulkOperation[] = []
  if (Object.keys(body).length > 0) operations.push({ op: 'editCampaign', cid, body })
  if (change.state === 'pause' && enabled) operations.push({ op: 'pauseCampaign', cid })
  if (change.state === 'resume' && !enabled) operations.push({ op: 'resumeCampaign', cid })
  return operations
}

/** Nothing would be left. */
const percentProblem = (percent: number) =>
  percent > -100 ? undefined : t('error.atLeast', { min: decimal(-99.99, 2) })

interface FormProps {
  change: Change
  errors: FieldErrors
  onChange: (change: Change) => void
  onApply: () => void
  onCancel: () => void
}

function Form({ change, errors, onChange, onApply, onCancel }: FormProps) {
  const timezone = useZone()
  const set = (part: Partial<Change>) => onChange({ ...change, ...part })
  const read = readNumber(change.budget, 2)
  const nothing =
    change.budget === '' && change.start === null && change.end === null && change.state === 'keep'
  const check = change.budgetBy === 'amount' ? budgetProblem : percentProblem
  const wrong = change.budget !== '' && (!('value' in read) || check(read.value) !== undefined)
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
        <Group align="flex-start" gap="sm">
          <NumberField
            label={t('campaigns.budget')}
            description={t('bulk.empty')}
            decimals={2}
            sign={change.budgetBy === 'amount' ? currencySign() : '%'}
            show={value =>
              change.budgetBy === 'amount'
                ? t('campaigns.aDay', { amount: money(value) })
                : t(value < 0 ? 'bulk.less' : 'bulk.more', { percent: decimal(Math.abs(value), 2) })
            }
            check={check}
            value={change.budget}
            maw={320}
            autoFocus
            onChange={budget => set({ budget })}
          />
          <SegmentedControl
            mt={46}
            aria-label={t('bulk.budgetBy')}
            value={change.budgetBy}
            data={[
              { value: 'amount', label: t('bulk.amount') },
              { value: 'percent', label: t('bulk.percent') },
            ]}
            onChange={budgetBy => set({ budgetBy: budgetBy as Change['budgetBy'] })}
          />
        </Group>
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
            {t('bulk.apply')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
