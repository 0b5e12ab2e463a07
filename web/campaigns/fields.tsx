// The fields of a campaign, for creating and editing.

import { Button, Collapse, Select, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { FieldErrors } from '../form/field-errors.ts'
import { numberToSend, writeNumber } from '../form/number.ts'
import { NumberField } from '../form/number-field.tsx'
import { StartAndEnd } from '../form/start-and-end.tsx'
import { integer } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { CategoryPicker } from '../personas/category-picker.tsx'
import { t } from '../words/words.ts'
import { capProblem } from './budget.ts'
import { type BudgetDraft, BudgetFields, BY_DAY, Daily, Total, withDaily } from './budget-fields.tsx'
import type { Campaign } from './data.ts'
import { HoursField } from './hours/hours-field.tsx'
import type { Hours } from './hours/week.ts'
import { MostCost } from './most-cost-text.tsx'
import { PriceFields } from './price-fields.tsx'

export interface CampaignDraft {
  name: string
  start: number | null
  end: number | null
  /** Numbers as they were typed. */
  dailySpend: string
  /** Empty: no limit. */
  totalSpend: string
  budget: BudgetDraft
  frequency: string
  pricing: 'cpm' | 'cpc'
  /** Empty: the default price of the deployment. */
  cpm: string
  cpc: string
  pacing: 'even' | 'asap'
  /** Null: always. */
  hours: Hours | null
  category: string[]
}

const DAY_S = 86_400
/** The paths of the rarely used fields. */
const HIDDEN = ['/frequency', '/cpm', '/pricing', '/cpc', '/pacing', '/hours', '/category']

export function newDraft(nowS: number, name: string): CampaignDraft {
  const start = Math.floor(nowS / 60) * 60
  return {
    name,
    start,
    end: start + 30 * DAY_S,
    dailySpend: writeNumber(50, 2),
    totalSpend: '',
    budget: BY_DAY,
    frequency: '3',
    pricing: 'cpm',
    cpm: '',
    cpc: '',
    pacing: 'even',
    hours: null,
    category: [],
  }
}

export function draftOf(campaign: Campaign): CampaignDraft {
  const { name, start, end, dailySpend, totalSpend, freq, pricing, cpm, cpc, pacing, hours, category } =
    campaign
  return {
    name,
    start,
    end,
    dailySpend: writeNumber(dailySpend, 2),
    totalSpend: totalSpend === null ? '' : writeNumber(totalSpend, 2),
    budget: BY_DAY,
    frequency: writeNumber(freq, 0),
    pricing,
    cpm: writeNumber(cpm, 2),
    cpc: cpc === null ? '' : writeNumber(cpc, 2),
    pacing,
    hours,
    category,
  }
}

/** The body that the API expects. Empty fields are sent empty, so that the API says what is missing. */
export function bodyOf(draft: CampaignDraft) {
  const { name, start, end, pricing, pacing, hours, category } = draft
  return {
    name,
    start: start as number,
    end: end as number,
    dailySpend: numberToSend(draft.dailySpend, 2) as number,
    totalSpend: numberToSend(draft.totalSpend, 2),
    frequency: numberToSend(draft.frequency, 0),
    cpm: numberToSend(draft.cpm, 2),
    pricing,
    cpc: pricing === 'cpc' ? numberToSend(draft.cpc, 2) : null,
    pacing,
    hours,
    category,
  }
}

interface CampaignFieldsProps {
  draft: CampaignDraft
  errors: FieldErrors
  onChange: (draft: CampaignDraft) => void
  /** Shows the rarely used fields from the start. */
  all?: boolean
  /** A new campaign may also have a budget per month. */
  isNew?: boolean
}

export function CampaignFields({ draft, errors, onChange, all = false, isNew = false }: CampaignFieldsProps) {
  const timezone = useZone()
  const [more, { toggle }] = useDisclosure(all)
  const set = (change: Partial<CampaignDraft>) => onChange(withDaily({ ...draft, ...change }, timezone))
  const hidden = HIDDEN.some(path => errors.at(path))
  return (
    <Stack gap="md">
      <TextInput
        label={t('form.name')}
        withAsterisk
        value={draft.name}
        error={errors.at('/name')}
        onChange={event => set({ name: event.currentTarget.value })}
      />
      {isNew ? (
        <>
          <BudgetFields draft={draft} errors={errors} onChange={set} />
          <PriceFields draft={draft} errors={errors} set={set} />
        </>
      ) : (
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <Daily draft={draft} errors={errors} onChange={set} />
          <Total draft={draft} errors={errors} onChange={set} />
        </SimpleGrid>
      )}
      <StartAndEnd start={draft.start} end={draft.end} errors={errors} onChange={set} />
      {!isNew && <MostCost draft={draft} />}
      <div>
        <Button variant="subtle" size="compact-sm" onClick={toggle} aria-expanded={more || hidden}>
          {t(more || hidden ? 'form.fewerFields' : 'form.moreFields')}
        </Button>
      </div>
      <Collapse expanded={more || hidden}>
        <Stack gap="md">
          {!isNew && <PriceFields draft={draft} errors={errors} set={set} />}
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <NumberField
              label={t('campaigns.frequency')}
              description={t('campaigns.frequencyAbout')}
              decimals={0}
              show={integer}
              check={capProblem}
              value={draft.frequency}
              error={errors.at('/frequency')}
              onChange={frequency => set({ frequency })}
            />
            <Select
              label={t('campaigns.pacing')}
              description={t('campaigns.pacingAbout')}
              allowDeselect={false}
              value={draft.pacing}
              data={[
                { value: 'even', label: t('campaigns.pacingEven') },
                { value: 'asap', label: t('campaigns.pacingAsap') },
              ]}
              error={errors.at('/pacing')}
              onChange={pacing => set({ pacing: pacing as 'even' | 'asap' })}
            />
          </SimpleGrid>
          <HoursField value={draft.hours} error={errors.at('/hours')} onChange={hours => set({ hours })} />
          <CategoryPicker
            label={t('campaigns.category')}
            about={t('campaigns.categoryAbout')}
            value={draft.category}
            error={errors.at('/category')}
            onChange={category => set({ category })}
          />
        </Stack>
      </Collapse>
    </Stack>
  )
}
