// A form for something that exists: it saves changes, confirms them, and shows refusals at their fields. Readers who
// may not edit only read it.

import { Group, Stack, Text } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useMay } from '../session/may.ts'
import { useNotice } from '../shell/notice.tsx'
import { Panel } from '../shell/panel.tsx'
import { isProposed } from '../words/error-words.ts'
import { t } from '../words/words.ts'
import { ConflictDialog } from './conflict-dialog.tsx'
import { EditFields } from './edit-fields.tsx'
import type { FieldErrors } from './field-errors.ts'
import { FormProblem } from './form-problem.tsx'
import { SubmitButton } from './submit-button.tsx'
import { useUnsaved } from './unsaved.ts'
import type { Editing } from './use-edit.ts'

interface EditFormProps {
  title: string
  errors: FieldErrors
  edit: Pick<Editing<unknown>, 'dirty' | 'save' | 'conflict' | 'reset'>
  children: ReactNode
}

export function EditForm({ title, errors, edit, children }: EditFormProps) {
  const [busy, setBusy] = useState(false)
  const notice = useNotice()
  const may = useMay()
  useUnsaved(edit.dirty)
  const run = async (work: () => Promise<boolean>) => {
    setBusy(true)
    errors.clear()
    try {
      if (await work()) notice.done(t('form.saved'))
      else if (!edit.dirty) notice.done(t('form.nothingChanged'))
    } catch (error) {
      if (isProposed(error)) {
        notice.proposed()
        edit.reset()
      } else errors.take(error)
    }
    setBusy(false)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    run(edit.save)
  }
  return (
    <Panel title={title}>
      <form onSubmit={submit} noValidate>
        <Stack maw={860}>
          <FormProblem errors={errors} />
          <EditFields>{children}</EditFields>
          {may.edit && (
            <Group>
              <SubmitButton busy={busy}>{t('form.save')}</SubmitButton>
              {edit.dirty && (
                <Text size="sm" c="dimmed">
                  {t('form.draftChanged')}
                </Text>
              )}
            </Group>
          )}
        </Stack>
      </form>
      {edit.conflict && (
        <ConflictDialog
          conflict={edit.conflict}
          busy={busy}
          onKeep={fields => run(() => edit.conflict!.keepYours(fields))}
        />
      )}
    </Panel>
  )
}
