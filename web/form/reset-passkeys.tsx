// Removes the passkeys of a person who lost them, after a question.

import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useNotice } from '../shell/notice.tsx'
import { t } from '../words/words.ts'
import { Confirm } from './confirm.tsx'

interface ResetPasskeysProps {
  name: string
  reset: () => Promise<{ passkeys: number }>
  onReset?: () => void
}

export function ResetPasskeys({ name, reset, onReset }: ResetPasskeysProps) {
  const notice = useNotice()
  const [asking, setAsking] = useState(false)
  const resetting = useMutation({
    mutationFn: reset,
    onSuccess: ({ passkeys }) => {
      setAsking(false)
      notice.done(passkeys === 0 ? t('passkeys.hadNone', { name }) : t('passkeys.wereReset', { name }))
      onReset?.()
    },
  })
  return (
    <>
      <Button
        size="xs"
        variant="default"
        aria-label={t('passkeys.resetNamed', { name })}
        onClick={() => setAsking(true)}
      >
        {t('passkeys.reset')}
      </Button>
      <Confirm
        opened={asking}
        title={t('passkeys.resetTitle', { name })}
        about={t('passkeys.resetAbout')}
        action={t('passkeys.reset')}
        busy={resetting.isPending}
        error={resetting.error}
        onConfirm={() => resetting.mutate()}
        onClose={() => setAsking(false)}
      />
    </>
  )
}
