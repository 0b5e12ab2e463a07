// Declines a proposal, after asking why. The reason is for the one who made the proposal, and is optional.

import { Textarea } from '@mantine/core'
import { useState } from 'react'
import { MAX_REASON } from '../../src/manage/proposals/contract.ts'
import { CreateForm, useDirty } from '../form/create-form.tsx'
import { Dialog } from '../form/dialog.tsx'
import { useFieldErrors } from '../form/field-errors.ts'
import { t } from '../words/words.ts'

interface DeclineDialogProps {
  opened: boolean
  /** The title of the proposal. */
  title: string
  decline: (reason: string | null) => Promise<unknown>
  onClose: () => void
}

export function DeclineDialog({ opened, title, decline, onClose }: DeclineDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={`${t('proposals.decline')}: ${title}`}>
      <Form decline={decline} onClose={onClose} />
    </Dialog>
  )
}

function Form({ decline, onClose }: Pick<DeclineDialogProps, 'decline' | 'onClose'>) {
  const [reason, setReason] = useState('')
  const errors = useFieldErrors({ reason })
  const send = async () => {
    await decline(reason.trim() || null)
    onClose()
  }
  return (
    <CreateForm
      action={t('proposals.decline')}
      errors={errors}
      dirty={useDirty(reason)}
      create={send}
      onCancel={onClose}
    >
      <Textarea
        label={t('proposals.reason')}
        description={t('proposals.reasonAbout')}
        autosize
        minRows={3}
        maxLength={MAX_REASON}
        data-autofocus
        value={reason}
        error={errors.at('/reason')}
        onChange={event => setReason(event.currentTarget.value)}
      />
    </CreateForm>
  )
}
