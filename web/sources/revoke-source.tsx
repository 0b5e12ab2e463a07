// Revokes a publisher, after saying what stops.

import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { Confirm } from '../form/confirm.tsx'
import { useNotice } from '../shell/notice.tsx'
import { t } from '../words/words.ts'
import { type SeenSource, useReadAgain } from './data.ts'

export function RevokeSource({ source: { sourceId, kind, name } }: { source: SeenSource }) {
  const [asking, setAsking] = useState(false)
  const readAgain = useReadAgain()
  const notice = useNotice()
  const revoking = useMutation({
    mutationFn: () => api.deleteSource({ sourceId }),
    onSuccess: async () => {
      setAsking(false)
      notice.done(t('sources.revoked', { name }))
      await readAgain()
    },
  })
  return (
    <>
      <Button
        variant="default"
        aria-label={t('sources.revokeNamed', { name })}
        onClick={() => setAsking(true)}
      >
        {t('sources.revoke')}
      </Button>
      <Confirm
        opened={asking}
        title={t('sources.revokeTitle', { name })}
        about={t(kind === 'site' ? 'sources.revokeSite' : 'sources.revokeExchange')}
        action={t('sources.revoke')}
        busy={revoking.isPending}
        error={revoking.error}
        onConfirm={() => revoking.mutate()}
        onClose={() => setAsking(false)}
      />
    </>
  )
}
