// Creates a customer; its key and token are shown here once and never again.

import { SimpleGrid, Switch, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { CustomerPair } from '../../src/manage/customers/contract.ts'
import { api, keyOf } from '../api/client.ts'
import { CreateForm, useDirty } from '../form/create-form.tsx'
import { Dialog } from '../form/dialog.tsx'
import { type FieldErrors, useFieldErrors } from '../form/field-errors.ts'
import { Secret, ShownOnce } from '../form/shown-once.tsx'
import { completeAddress } from '../form/web-address.ts'
import { t } from '../words/words.ts'

const FIELDS = ['company', 'email', 'name', 'website', 'phone', 'country'] as const
type Draft = Record<(typeof FIELDS)[number], string>
const EMPTY: Draft = { company: '', email: '', name: '', website: '', phone: '', country: '' }

export function NewCustomer({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [pair, setPair] = useState<CustomerPair | null>(null)
  const close = () => {
    onClose()
    setPair(null)
  }
  return (
    <Dialog opened={opened} onClose={close} size="lg" title={t('customers.new')} locked={pair !== null}>
      {pair ? <Credentials pair={pair} onClose={close} /> : <Form onCreated={setPair} onClose={close} />}
    </Dialog>
  )
}

function Form({ onCreated, onClose }: { onCreated: (pair: CustomerPair) => void; onClose: () => void }) {
  const [draft, setDraft] = useState(EMPTY)
  const [prepaid, setPrepaid] = useState(false)
  const errors = useFieldErrors(draft)
  const client = useQueryClient()
  const create = async (formKey: string) => {
    const { company, email, ...rest } = { ...draft, website: completeAddress(draft.website) }
    const filled = Object.fromEntries(Object.entries(rest).filter(([, value]) => value.trim() !== ''))
    const body = { company, email, ...filled, ...(prepaid ? { prepaid } : {}) }
    const created = await api.createCustomer({ body }, { idempotencyKey: keyOf(formKey, body) })
    client.invalidateQueries({ queryKey: ['cockpit'] })
    onCreated(created)
  }
  return (
    <CreateForm
      action={t('customers.create')}
      errors={errors}
      dirty={useDirty([draft, prepaid])}
      create={create}
      onCancel={onClose}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {FIELDS.map(name => (
          <Field key={name} name={name} draft={draft} errors={errors} onChange={setDraft} />
        ))}
      </SimpleGrid>
      <Switch
        label={t('balance.prepaid')}
        description={t('balance.about')}
        checked={prepaid}
        onChange={event => setPrepaid(event.currentTarget.checked)}
      />
    </CreateForm>
  )
}

interface FieldProps {
  name: keyof Draft
  draft: Draft
  errors: FieldErrors
  onChange: (draft: Draft) => void
}

function Field({ name, draft, errors, onChange }: FieldProps) {
  return (
    <TextInput
      label={t(`customers.field.${name}`)}
      withAsterisk={name === 'company' || name === 'email'}
      autoComplete="off"
      value={draft[name]}
      error={errors.at(`/${name}`)}
      onChange={event => onChange({ ...draft, [name]: event.currentTarget.value })}
    />
  )
}

function Credentials({ pair, onClose }: { pair: CustomerPair; onClose: () => void }) {
  return (
    <ShownOnce count={2} onClose={onClose}>
      <Secret label={t('customers.key')} value={pair.key} />
      <Secret label={t('customers.token')} value={pair.token} />
    </ShownOnce>
  )
}
