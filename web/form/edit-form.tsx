// A form for something that is there: it saves, says so, and shows at each field what was refused.

import { Button, Group, Stack } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useNotice } from '../shell/notice.ts'
import { Panel } from '../shell/panel.tsx'
import { t } from '../words/words.ts'
import type { FieldErrors } from './field-errors.ts'
import { FormProblem } from './form-problem.tsx'

interface EditFormProps {
  title: string
  errors: FieldErrors
  save: () => Promise<void>
  children: ReactNode
}

export function EditForm({ title, errors, save, children }: EditFormProps) {
  const [busy, setBusy] = useState(false)
  const notice = useNotice()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    errors.clear()
    try {
      await save()
      notice.done(t('form.saved'))
    } catch (error) {
      errors.take(error)
    }
    setBusy(false)
  }
  return (
    <Panel title={title}>
      <form onSubmit={submit} noValidate>
        <Stack maw={860}>
          <FormProblem errors={errors} />
          {children}
          <Group>
            <Button type="submit" loading={busy}>
              {t('form.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  )
}
