// A form that creates something, and shows refusals at their fields. Sending it twice creates one object.

import { Button, Group, Stack } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { newIdempotencyKey } from '../api/client.ts'
import { useNotice } from '../shell/notice.tsx'
import { isProposed } from '../words/error-words.ts'
import { t } from '../words/words.ts'
import type { FieldErrors } from './field-errors.ts'
import { FormProblem } from './form-problem.tsx'
import { SubmitButton } from './submit-button.tsx'
import { useUnsaved } from './unsaved.ts'

interface CreateFormProps {
  /** The text of the button. */
  action: string
  errors: FieldErrors
  /** Whether typed input would be lost. */
  dirty: boolean
  /** `formKey` is the same for as long as the form is open. */
  create: (formKey: string) => Promise<void>
  onCancel: () => void
  children: ReactNode
}

export function CreateForm({ action, errors, dirty, create, onCancel, children }: CreateFormProps) {
  const [formKey] = useState(newIdempotencyKey)
  const [busy, setBusy] = useState(false)
  const notice = useNotice()
  const letGo = useUnsaved(dirty)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    errors.clear()
    try {
      await create(formKey)
    } catch (error) {
      if (isProposed(error)) {
        letGo()
        notice.proposed()
        onCancel()
      } else errors.take(error)
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
          <SubmitButton busy={busy}>{action}</SubmitButton>
        </Group>
      </Stack>
    </form>
  )
}

/** Whether a draft differs from its initial state. */
export function useDirty(draft: unknown): boolean {
  const [first] = useState(() => JSON.stringify(draft))
  return JSON.stringify(draft) !== first
}
