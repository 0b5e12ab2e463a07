// Takes a person out, after a question.

import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { t } from '../words/words.ts'
import { Confirm } from './confirm.tsx'

interface RemovePersonProps {
  name: string
  /** What goes with them. */
  about: string
  remove: () => Promise<unknown>
  onRemoved: () => void
}

export function RemovePerson({ name, about, remove, onRemoved }: RemovePersonProps) {
  const [asking, setAsking] = useState(false)
  const removing = useMutation({
    mutationFn: remove,
    onSuccess: () => {
      setAsking(false)
      onRemoved()
    },
  })
  return (
    <>
      <Button
        size="xs"
        variant="default"
        aria-label={t('members.removeNamed', { name })}
        onClick={() => setAsking(true)}
      >
        {t('members.remove')}
      </Button>
      <Confirm
        opened={asking}
        title={t('members.removeTitle', { name })}
        about={about}
        action={t('members.remove')}
        busy={removing.isPending}
        error={removing.error}
        onConfirm={() => removing.mutate()}
        onClose={() => setAsking(false)}
      />
    </>
  )
}
