// The fields of a flight, for creating and editing.

import { Stack, Text, TextInput } from '@mantine/core'
import { TotalField } from '../campaigns/budget-fields.tsx'
import type { Campaign } from '../campaigns/data.ts'
import type { FieldErrors } from '../form/field-errors.ts'
import { StartAndEnd } from '../form/start-and-end.tsx'
import { timeRange } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { t } from '../words/words.ts'
import type { FlightDraft } from './draft.ts'

interface FlightFieldsProps {
  campaign: Campaign
  draft: FlightDraft
  errors: FieldErrors
  onChange: (draft: FlightDraft) => void
}

export function FlightFields({ campaign, draft, errors, onChange }: FlightFieldsProps) {
  const timezone = useZone()
  const set = (change: Partial<FlightDraft>) => onChange({ ...draft, ...change })
  return (
    <Stack gap="md">
      <TextInput
        label={t('form.name')}
        withAsterisk
        data-autofocus
        value={draft.name}
        error={errors.at('/name')}
        onChange={event => set({ name: event.currentTarget.value })}
      />
      <StartAndEnd start={draft.start} end={draft.end} errors={errors} onChange={set} />
      <TotalField
        description={t('flights.totalAbout')}
        value={draft.totalSpend}
        error={errors.at('/totalSpend')}
        onChange={totalSpend => set({ totalSpend })}
      />
      <Text size="xs" c="dimmed">
        {t('flights.inside', { period: timeRange(campaign.start, campaign.end, timezone) })}
      </Text>
    </Stack>
  )
}
