// What a campaign pays for, and how much: impressions by the thousand, or clicks.

import { Select, SimpleGrid } from '@mantine/core'
import type { FieldErrors } from '../form/field-errors.ts'
import { NumberField } from '../form/number-field.tsx'
import { currencySign, exactMoney, money } from '../format/format.ts'
import { useSession } from '../session/session.ts'
import { t } from '../words/words.ts'
import { cpcProblem, cpmProblem } from './budget.ts'
import type { CampaignDraft } from './draft.ts'

interface PriceFieldsProps {
  draft: Pick<CampaignDraft, 'pricing' | 'cpm' | 'cpc'>
  errors: FieldErrors
  set: (change: Partial<CampaignDraft>) => void
}

export function PriceFields({ draft, errors, set }: PriceFieldsProps) {
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
          description={t('campaigns.cpmAbout', { cpm: money(defaultCpm) })}
          check={cpmProblem}
          value={draft.cpm}
          error={errors.at('/cpm')}
          onChange={cpm => set({ cpm })}
        />
      )}
    </SimpleGrid>
  )
}
