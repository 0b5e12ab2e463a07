// One more flight for a campaign.

import { Button, Group, Stack } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { api, keyOf, newIdempotencyKey } from '../api/client.ts'
import type { Campaign } from '../campaigns/data.ts'
import { Dialog } from '../form/dialog.tsx'
import { useFieldErrors } from '../form/field-errors.ts'
import { FormProblem } from '../form/form-problem.tsx'
import { useNotice } from '../shell/notice.ts'
import { t } from '../words/words.ts'
import { type Flight, useKeepFlight } from './data.ts'
import { flightBodyOf, newFlightDraft } from './draft.ts'
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
    newFlightDraft(campaign, flights, Date.now() / 1000, t('flights.firstName', { number: flights.length })),
  )
  const [formKey] = useState(newIdempotencyKey)
  const [busy, setBusy] = useState(false)
  const errors = useFieldErrors()
  const keep = useKeepFlight(cuid, cid)
  const notice = useNotice()
  const save = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    errors.clear()
    const body = flightBodyOf(draft, campaign, flights)
    try {
      keep(await api.createFlight({ cuid, cid, body }, { idempotencyKey: keyOf(formKey, body) }))
      notice.done(t('flights.created', { name: body.name }))
      onClose()
    } catch (error) {
      errors.take(error)
    }
    setBusy(false)
  }
  return (
    <form onSubmit={save} noValidate>
      <Stack>
        <FormProblem errors={errors} />
        <FlightFields campaign={campaign} draft={draft} errors={errors} onChange={setDraft} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('form.cancel')}
          </Button>
          <Button type="submit" loading={busy}>
            {t('flights.create')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
