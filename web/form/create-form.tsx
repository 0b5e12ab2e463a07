// A form for something new: it creates, and shows at each field what was refused. Sent twice, it creates one.

import { Button, Group, Stack } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { newIdempotencyKey } from '../api/client.ts'
import { t } from '../words/words.ts'
import type { FieldErrors } from './field-errors.ts'
import { FormProblem } from './form-problem.tsx'

interface CreateFormProps {
  /** What the button says. */
  action: string
  errors: FieldErrors
  /** `formKey` is the same for as long as the form is open. */
  create: (formKey: string) => Promise<void>
  onCancel: () => void
  children: ReactNode
}

export function CreateForm({ action, errors, create, onCancel, children }: CreateFormProps) {
  const [formKey] = useState(newIdempotencyKey)
  const [busy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    errors.clear()
    try {
      await create(formKey)
    } catch (error) {
      errors.take(error)
    }
    setBusy(false)
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormProblem errors={errors} />
        {children}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {t('form.cancel')}
          </Button>
          <Button type="submit" loading={busy}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
