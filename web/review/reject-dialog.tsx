// Rejects a banner, after asking why. The reason is for the customer.

import { Textarea } from '@mantine/core'
import { useState } from 'react'
import { CreateForm, useDirty } from '../form/create-form.tsx'
import { Dialog } from '../form/dialog.tsx'
import { useFieldErrors } from '../form/field-errors.ts'
import { t } from '../words/words.ts'
import { type QueuedBanner, useDecideBanner } from './data.ts'

interface RejectDialogProps {
  banner: QueuedBanner
  opened: boolean
  onClose: () => void
  onRejected: () => void
}

export function RejectDialog({ banner, opened, onClose, onRejected }: RejectDialogProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={t('review.rejectTitle', { name: banner.name })}>
      <Form banner={banner} onClose={onClose} onRejected={onRejected} />
    </Dialog>
  )
}

function Form({ banner, onClose, onRejected }: Omit<RejectDialogProps, 'opened'>) {
  const [reason, setReason] = useState('')
  const errors = useFieldErrors({ reason })
  const deciding = useDecideBanner()
  const reject = async () => {
    await deciding.mutateAsync({ banner, reason: reason.trim() })
    onRejected()
  }
  return (
    <CreateForm
      action={t('review.reject')}
      errors={errors}
      dirty={useDirty(reason)}
      create={reject}
      onCancel={onClose}
    >
      <Textarea
        label={t('review.reason')}
        description={t('review.reasonAbout')}
        withAsterisk
        autosize
        minRows={3}
        maxLength={500}
        data-autofocus
        value={reason}
        error={errors.at('/reason')}
        onChange={event => setReason(event.currentTarget.value)}
      />
    </CreateForm>
  )
}
