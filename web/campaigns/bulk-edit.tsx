// Budget, dates and state of many campaigns at once: empty fields stay as they are. Each campaign has its own result.

import { Button, Group, SegmentedControl, Select, SimpleGrid, Stack } from '@mantine/core'
import { useState } from 'react'
import { BulkProgress, BulkResults, type RowResult } from '../bulk/results.tsx'
import { type BulkOperation, refusalOf, runBulk } from '../bulk/run.ts'
import { Dialog } from '../form/dialog.tsx'
import { useFieldErrors } from '../form/field-errors.ts'
import { FormProblem } from '../form/form-problem.tsx'
import { readNumber } from '../form/number.ts'
import { NumberField } from '../form/number-field.tsx'
import { useUnsaved } from '../form/unsaved.ts'
import { WallTime } from '../form/wall-time.tsx'
import { currencySign, decimal, money } from '../format/format.ts'
import { useSession } from '../session/session.ts'
import { t } from '../words/words.ts'
import { type Campaign, useCampaignsAnew } from './data.ts'

interface Change {
  budget: string
  /** The new budget itself, or how many percent more or less. */
  budgetBy: 'amount' | 'percent'
  start: number | null
  end: number | null
  state: 'keep' | 'pause' | 'resume'
}
const NO_CHANGE: Change = { budget: '', budgetBy: 'amount', start: null, end: null, state: 'keep' }

interface BulkEditProps {
  cuid: number
  chosen: readonly Campaign[]
  onDone: () => void
  onClose: () => void
}

export function BulkEdit({ cuid, chosen, onDone, onClose }: BulkEditProps) {
  const [running, setRunning] = useState<{ done: number; of: number } | null>(null)
  const [results, setResults] = useState<RowResult[] | null>(null)
  const { timezone } = useSession()
  const anew = useCampaignsAnew(cuid)
  const apply = async (change: Change) => {
    const steps = chosen.flatMap(campaign => operationsOf(campaign, change).map(step => ({ campaign, step })))
    setRunning({ done: 0, of: steps.length })
    try {
      const operations = steps.map(({ step }) => step)
      const answers = await runBulk(cuid, operations, done => setRunning({ done, of: steps.length }))
      const refusals = new Map<number, string>()
      for (const [index, { campaign }] of steps.entries()) {
        const refusal = refusalOf(answers[index]!, timezone)
        if (refusal) refusals.set(campaign.cid, refusal)
      }
      const rowOf = ({ cid, name }: Campaign) => ({ id: cid, name, refusal: refusals.get(cid) ?? null })
      setResults(chosen.map(rowOf))
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
        <Form onApply={apply} onCancel={onClose} />
      )}
    </Dialog>
  )
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

interface FormProps {
  onApply: (change: Change) => Promise<void>
  onCancel: () => void
}

function Form({ onApply, onCancel }: FormProps) {
  const [change, setChange] = useState(NO_CHANGE)
  const { timezone } = useSession()
  const errors = useFieldErrors()
  const set = (part: Partial<Change>) => setChange({ ...change, ...part })
  const read = readNumber(change.budget, 2)
  const nothing =
    change.budget === '' && change.start === null && change.end === null && change.state === 'keep'
  const wrong = change.budget !== '' && !('value' in read)
  const zone = t('campaigns.inZone', { zone: timezone })
  useUnsaved(!nothing)
  return (
    <form
      noValidate
      onSubmit={event => {
        event.preventDefault()
        if (!nothing && !wrong) onApply(change).catch(errors.take)
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
            description={zone}
            value={change.start}
            timeZone={timezone}
            onChange={start => set({ start })}
          />
          <WallTime
            label={t('campaigns.end')}
            description={zone}
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
