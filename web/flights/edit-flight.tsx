// The form that changes the name and period of a flight. The flight a campaign was born with follows the campaign
// instead.

import { Text } from '@mantine/core'
import type { FlightEdit } from '../../src/manage/campaigns/flights/contract.ts'
import { api, type Tagged, tagged } from '../api/client.ts'
import type { Campaign } from '../campaigns/data.ts'
import { EditForm } from '../form/edit-form.tsx'
import { useFieldErrors } from '../form/field-errors.ts'
import { useEdit } from '../form/use-edit.ts'
import { timeRange } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { Panel } from '../shell/panel.tsx'
import { Refused, Waiting } from '../shell/states.tsx'
import { t } from '../words/words.ts'
import { flightBodyOf, flightDraftOf } from './body.ts'
import { type Flight, useFlight, useKeepFlight } from './data.ts'
import { FlightFields } from './fields.tsx'

interface EditFlightProps {
  campaign: Campaign
  flight: Flight
  flights: readonly Flight[]
}

export function EditFlight(props: EditFlightProps) {
  return props.flight.default ? <Born {...props} /> : <Own {...props} />
}

function Own(props: EditFlightProps) {
  const { cuid, cid } = props.campaign
  const flight = useFlight(cuid, cid, props.flight.fid)
  if (flight.isPending) return <Waiting height={240} />
  if (!flight.data) return <Refused error={flight.error} onRetry={() => flight.refetch()} />
  return <Form {...props} flight={flight.data} />
}

function Form({ campaign, flight, flights }: EditFlightProps & { flight: Tagged<Flight> }) {
  const { cuid, cid } = campaign
  const { fid } = flight
  const others = flights.filter(other => other.fid !== fid)
  const edit = useEdit({
    current: flight,
    draftOf: flightDraftOf,
    bodyOf: draft => flightBodyOf(draft, campaign, others),
    read: () => tagged(api.withMeta.readFlight({ cuid, cid, fid })),
    write: (changes, ifMatch) =>
      tagged(api.withMeta.editFlight({ cuid, cid, fid, body: changes as FlightEdit }, { ifMatch })),
    keep: useKeepFlight(cuid, cid),
  })
  const errors = useFieldErrors(edit.body)
  return (
    <EditForm title={t('campaigns.settings')} errors={errors} edit={edit}>
      <FlightFields campaign={campaign} draft={edit.draft} errors={errors} onChange={edit.setDraft} />
    </EditForm>
  )
}

function Born({ flight }: EditFlightProps) {
  const timezone = useZone()
  return (
    <Panel title={t('campaigns.settings')}>
      <Text fw="var(--strong)" mb="sm">
        {timeRange(flight.start, flight.end, timezone)}
      </Text>
      <Text size="sm">{t('flights.bornAbout')}</Text>
    </Panel>
  )
}
