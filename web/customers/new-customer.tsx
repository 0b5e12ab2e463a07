// Creates a customer; its key and token are shown here once and nowhere again.

import { Alert, Button, Code, CopyButton, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { CustomerPair } from '../../src/customers/contract.ts'
import { api, keyOf, newIdempotencyKey } from '../api/client.ts'
import { Dialog } from '../form/dialog.tsx'
import { type FieldErrors, useFieldErrors } from '../form/field-errors.ts'
import { FormProblem } from '../form/form-problem.tsx'
import { Icon } from '../shell/icon.tsx'
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
    <Dialog
      opened={opened}
      onClose={close}
      size="lg"
      title={t('customers.new')}
      // What is shown only once does not vanish by a click beside it.
      closeOnClickOutside={pair === null}
    >
      {pair ? <Credentials pair={pair} onClose={close} /> : <Form onCreated={setPair} />}
    </Dialog>
  )
}

function Form({ onCreated }: { onCreated: (pair: CustomerPair) => void }) {
  const [draft, setDraft] = useState(EMPTY)
  const [formKey] = useState(newIdempotencyKey)
  const [busy, setBusy] = useState(false)
  const errors = useFieldErrors()
  const client = useQueryClient()
  const save = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    errors.clear()
    const { company, email, ...rest } = draft
    const filled = Object.fromEntries(Object.entries(rest).filter(([, value]) => value.trim() !== ''))
    const body = { company, email, ...filled }
    try {
      const created = await api.createCustomer({ body }, { idempotencyKey: keyOf(formKey, body) })
      client.invalidateQueries({ queryKey: ['customers'] })
      onCreated(created)
    } catch (error) {
      errors.take(error)
    }
    setBusy(false)
  }
  return (
    <form onSubmit={save} noValidate>
      <Stack>
        <FormProblem errors={errors} />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          {FIELDS.map(name => (
            <Field key={name} name={name} draft={draft} errors={errors} onChange={setDraft} />
          ))}
        </SimpleGrid>
        <Group justify="flex-end">
          <Button type="submit" loading={busy}>
            {t('customers.create')}
          </Button>
        </Group>
      </Stack>
    </form>
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
    <Stack>
      <Alert role="group" color="yellow" icon={<Icon name="key" />} title={t('customers.once')}>
        {t('customers.onceAbout')}
      </Alert>
      <Secret label={t('customers.key')} value={pair.key} />
      <Secret label={t('customers.token')} value={pair.token} />
      <Group justify="flex-end">
        <Button onClick={onClose}>{t('customers.kept')}</Button>
      </Group>
    </Stack>
  )
}

function Secret({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        {label}
      </Text>
      <Group gap="xs" wrap="nowrap">
        <Code block style={{ flex: 1, overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
          {value}
        </Code>
        <CopyButton value={value}>
          {({ copied, copy }) => (
            <Button size="xs" variant="default" onClick={copy}>
              {t(copied ? 'form.copied' : 'form.copy')}
            </Button>
          )}
        </CopyButton>
      </Group>
    </div>
  )
}
