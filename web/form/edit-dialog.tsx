// A dialog that changes something that others may change too: if someone else saved first, it shows both values
// instead.

import type { ReactNode } from 'react'
import { useState } from 'react'
import { useNotice } from '../shell/notice.tsx'
import { t } from '../words/words.ts'
import { ConflictDialog } from './conflict-dialog.tsx'
import { CreateForm } from './create-form.tsx'
import { Dialog } from './dialog.tsx'
import type { FieldErrors } from './field-errors.ts'
import type { Editing } from './use-edit.ts'

interface EditDialogProps {
  title: string
  /** The message after saving. */
  saved: string
  errors: FieldErrors
  edit: Pick<Editing<unknown>, 'dirty' | 'save' | 'conflict'>
  onClose: () => void
  children: ReactNode
}

export function EditDialog({ title, saved, errors, edit, onClose, children }: EditDialogProps) {
  const [busy, setBusy] = useState(false)
  const notice = useNotice()
  const finish = () => {
    notice.done(saved)
    onClose()
  }
  if (edit.conflict) {
    const { keepYours, cancel } = edit.conflict
    const keep = async (fields: readonly string[]) => {
      setBusy(true)
      try {
        if (await keepYours(fields)) finish()
      } catch (error) {
        cancel()
        errors.take(error)
      }
      setBusy(false)
    }
    return <ConflictDialog conflict={edit.conflict} busy={busy} onKeep={keep} />
  }
  const save = async () => {
    if (!edit.dirty) onClose()
    else if (await edit.save()) finish()
  }
  return (
    <Dialog opened onClose={onClose} title={title}>
      <CreateForm action={t('form.save')} errors={errors} dirty={edit.dirty} create={save} onCancel={onClose}>
        {children}
      </CreateForm>
    </Dialog>
  )
}
