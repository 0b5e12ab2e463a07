// Adds a flight to a campaign.

import { useState } from 'react'
import { api, keyOf } from '../api/client.ts'
import type { Campaign } from '../campaigns/data.ts'
import { CreateForm, useDirty } from '../form/create-form.tsx'
import { Dialog } from '../form/dialog.tsx'
import { useFieldErrors } from '../form/field-errors.ts'
import { nowMs } from '../sandbox/clock.ts'
import { useNotice } from '../shell/notice.tsx'
import { t } from '../words/words.ts'
import { flightBodyOf } from './body.ts'
import { type Flight, useKeepFlight } from './data.ts'
import { newFlightDraft } from './draft.ts'
import { FlightFields } from './fields.tsx'

interface NewFlightProps {
  campaign: Campaign
  flights: readonly Flight[]
  opened: boolean
  onClose: () => void
}

export function NewFlight({ opened, onClose, ...props }: NewFlightProps) {
  return (
    <Dialog opened={opened} onClose={onClose} size="lg" title={t('flights.new')}>
      <Form {...props} onClose={onClose} />
    </Dialog>
  )
}

function Form({ campaign, flights, onClose }: Omit<NewFlightProps, 'opened'>) {
  const { cuid, cid } = campaign
  const [draft, setDraft] = useState(() =>
    newFlightDraft(campaign, flights, nowMs() / 1000, t('flights.firstName', { number: flights.length })),
  )
  const errors = useFieldErrors(flightBodyOf(draft, campaign, flights))
  const keep = useKeepFlight(cuid, cid)
  const notice = useNotice()
  const create = async (formKey: string) => {
    const body = flightBodyOf(draft, campaign, flights)
    keep(await api.createFlight({ cuid, cid, body }, { idempotencyKey: keyOf(formKey, body) }))
    notice.done(t('flights.created', { name: body.name }))
    onClose()
  }
  return (
    <CreateForm
      action={t('flights.create')}
      errors={errors}
      dirty={useDirty(draft)}
      create={create}
      onCancel={onClose}
    >
      <FlightFields campaign={campaign} draft={draft} errors={errors} onChange={setDraft} />
    </CreateForm>
  )
}
