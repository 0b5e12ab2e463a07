// Deletes the subject of a page or row, after asking once more. Readers who may not edit do not see it.

import { Button } from '@mantine/core'
import { useState } from 'react'
import { useMay } from '../session/may.ts'
import { Icon } from '../shell/icon.tsx'
import { t } from '../words/words.ts'
import { Confirm } from './confirm.tsx'

interface DeleteButtonProps {
  /** What is deleted, if the page has several such buttons. */
  name?: string
  size?: 'xs' | 'sm'
  title: string
  about: string
  busy: boolean
  error: Error | null
  onConfirm: () => void
}

export function DeleteButton(props: DeleteButtonProps) {
  const { name, size = 'sm', title, about, busy, error, onConfirm } = props
  const [asking, setAsking] = useState(false)
  const may = useMay()
  if (!may.edit) return null
  return (
    <>
      <Button
        variant="default"
        size={size}
        leftSection={<Icon name="trash" size={size === 'xs' ? 14 : 16} />}
        aria-label={name === undefined ? undefined : t('form.deleteNamed', { name })}
        onClick={() => setAsking(true)}
      >
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
