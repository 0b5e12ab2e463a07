// Deletes what a page is about, after asking once more.

import { Button } from '@mantine/core'
import { useState } from 'react'
import { Icon } from '../shell/icon.tsx'
import { t } from '../words/words.ts'
import { Confirm } from './confirm.tsx'

interface DeleteButtonProps {
  title: string
  about: string
  busy: boolean
  error: Error | null
  onConfirm: () => void
}

export function DeleteButton({ title, about, busy, error, onConfirm }: DeleteButtonProps) {
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Button variant="default" leftSection={<Icon name="trash" size={16} />} onClick={() => setAsking(true)}>
        {t('form.delete')}
      </Button>
      <Confirm
        opened={asking}
        title={title}
        about={about}
        action={t('form.delete')}
        busy={busy}
        error={error}
        onConfirm={onConfirm}
        onClose={() => setAsking(false)}
      />
    </>
  )
}
