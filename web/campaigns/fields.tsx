// The fields of a campaign, for creating and editing.

import { Button, Collapse, Select, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { ClickParameters } from '../banners/click-parameters.tsx'
import type { FieldErrors } from '../form/field-errors.ts'
import { NumberField } from '../form/number-field.tsx'
import { SitesField } from '../form/sites-field.tsx'
import { StartAndEnd } from '../form/start-and-end.tsx'
import { currencySign, exactMoney, integer, money } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { CategoryPicker } from '../personas/category-picker.tsx'
import { useSession } from '../session/session.ts'
import { t } from '../words/words.ts'
import { capProblem, cpcProblem, cpmProblem } from './budget.ts'
import { withDaily } from './budget-draft.ts'
import { BudgetFields, Daily, Monthly, Total } from './budget-fields.tsx'
import type { CampaignDraft } from './draft.ts'
import { HoursField } from './hours/hours-field.tsx'
import { MostCost } from './most-cost-text.tsx'

/** The paths of the rarely used fields. */
const HIDDEN = [
  '/frequency',
  '/cpm',
  '/pricing',
  '/cpc',
  '/pacing',
  '/hours',
  '/sites',
  '/category',
  '/clickParameters',
]

interface CampaignFieldsProps {
  draft: CampaignDraft
  errors: FieldErrors
  onChange: (draft: CampaignDraft) => void
  /** Shows the rarely used fields from the start. */
  all?: boolean
  /** A new campaign is planned by the day, the month or in total. */
  isNew?: boolean
  /** The price that would have won half of such requests lately. */
  proposed?: number | null
}

export function CampaignFields(props: CampaignFieldsProps) {
  const { draft, errors, onChange, all = false, isNew = false, proposed = null } = props
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
          <PriceFields draft={draft} errors={errors} set={set} proposed={proposed} />
        </>
      ) : (
        <SimpleGrid cols={{ base: 1, xs: 3 }}>
          <Daily draft={draft} errors={errors} onChange={set} />
          <Monthly draft={draft} errors={errors} onChange={set} />
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
          {!isNew && <PriceFields draft={draft} errors={errors} set={set} proposed={null} />}
          <RareFields draft={draft} errors={errors} set={set} />
        </Stack>
      </Collapse>
    </Stack>
  )
}

interface PriceFieldsProps {
  draft: Pick<CampaignDraft, 'pricing' | 'cpm' | 'cpc'>
  proposed: number | null
  errors: FieldErrors
  set: (change: Partial<CampaignDraft>) => void
}

/** What a campaign pays for, and how much: impressions by the thousand, or clicks. */
function PriceFields({ draft, proposed, errors, set }: PriceFieldsProps) {
  const { defaultCpm } = useSession()
  const amount = { sign: currencySign(), decimals: 2, show: exactMoney } as const
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <Select
        label={t('campaigns.pricing')}
        description={t('campaigns.pricingAbout')}
        allowDeselect={false}
        value={draft.pricing}
        data={[
          { value: 'cpm', label: t('campaigns.pricingCpm') },
          { value: 'cpc', label: t('campaigns.pricingCpc') },
        ]}
        error={errors.at('/pricing')}
        onChange={pricing => set({ pricing: pricing as 'cpm' | 'cpc' })}
      />
      {draft.pricing === 'cpc' ? (
        <NumberField
          {...amount}
          required
          label={t('campaigns.cpc')}
          description={t('campaigns.cpcAbout')}
          check={cpcProblem}
          value={draft.cpc}
          error={errors.at('/cpc')}
          onChange={cpc => set({ cpc })}
        />
      ) : (
        <NumberField
          {...amount}
          label={t('campaigns.cpm')}
          description={t(proposed === null ? 'campaigns.cpmAbout' : 'campaigns.cpmProposed', {
            cpm: money(proposed ?? defaultCpm),
          })}
          check={cpmProblem}
          value={draft.cpm}
          error={errors.at('/cpm')}
          onChange={cpm => set({ cpm })}
        />
      )}
    </SimpleGrid>
  )
}

interface RareFieldsProps {
  draft: CampaignDraft
  errors: FieldErrors
  set: (change: Partial<CampaignDraft>) => void
}

function RareFields({ draft, errors, set }: RareFieldsProps) {
  return (
    <>
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
      <SitesField value={draft.sites} errors={errors} onChange={sites => set({ sites })} />
      <CategoryPicker
        label={t('campaigns.category')}
        about={t('campaigns.categoryAbout')}
        value={draft.category}
        error={errors.at('/category')}
        onChange={category => set({ category })}
      />
      <ClickParameters
        value={draft.clickParameters}
        error={errors.at('/clickParameters')}
        onChange={clickParameters => set({ clickParameters })}
      />
    </>
  )
}
