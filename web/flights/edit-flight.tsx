// The name and period of a flight, to be changed. The one a campaign was born with follows the campaign instead.

import { Text } from '@mantine/core'
import { useState } from 'react'
import { api } from '../api/client.ts'
import type { Campaign } from '../campaigns/data.ts'
import { EditForm } from '../form/edit-form.tsx'
import { useFieldErrors } from '../form/field-errors.ts'
import { timeRange } from '../format/format.ts'
import { useSession } from '../session/session.ts'
import { Panel } from '../shell/panel.tsx'
import { t } from '../words/words.ts'
import { type Flight, useKeepFlight } from './data.ts'
import { flightBodyOf, flightDraftOf } from './draft.ts'
import { FlightFields } from './fields.tsx'

interface EditFlightProps {
  campaign: Campaign
  flight: Flight
  flights: readonly Flight[]
}

export function EditFlight(props: EditFlightProps) {
  return props.flight.default ? <Born {...props} /> : <Form {...props} />
}

function Form({ campaign, flight, flights }: EditFlightProps) {
  const { cuid, cid } = campaign
  const { fid } = flight
  const [draft, setDraft] = useState(() => flightDraftOf(flight))
  const errors = useFieldErrors()
  const keep = useKeepFlight(cuid, cid)
  const save = async () => {
    const others = flights.filter(other => other.fid !== fid)
    keep(await api.editFlight({ cuid, cid, fid, body: flightBodyOf(draft, campaign, others) }))
  }
  return (
    <EditForm title={t('campaigns.settings')} errors={errors} save={save}>
      <FlightFields campaign={campaign} draft={draft} errors={errors} onChange={setDraft} />
    </EditForm>
  )
}

function Born({ flight }: EditFlightProps) {
  const { timezone } = useSession()
  return (
    <Panel title={t('campaigns.settings')}>
      <Text fw={600}>{timeRange(flight.start, flight.end, timezone)}</Text>
      <Text size="sm" c="dimmed" mb="sm">
        {t('campaigns.inZone', { zone: timezone })}
      </Text>
      <Text size="sm">{t('flights.bornAbout')}</Text>
    </Panel>
  )
}
