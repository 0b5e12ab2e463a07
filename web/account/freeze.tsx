// The emergency stop of a customer: one click freezes everything, unfreezing asks first. Others see that it is frozen.

import { Alert, Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, tagged } from '../api/client.ts'
import { type Customer, useKeepCustomer } from '../customers/data.ts'
import { Confirm } from '../form/confirm.tsx'
import { useOnce } from '../form/once.ts'
import { useMay } from '../session/may.ts'
import { useNotice } from '../shell/notice.tsx'
import { Panel } from '../shell/panel.tsx'
import { t } from '../words/words.ts'

export function Freeze({ customer: { cuid, frozen } }: { customer: Customer }) {
  const [asking, setAsking] = useState(false)
  const client = useQueryClient()
  const keep = useKeepCustomer()
  const notice = useNotice()
  const may = useMay()
  const change = useMutation({
    mutationFn: (freeze: boolean) =>
      tagged(freeze ? api.withMeta.freezeCustomer({ cuid }) : api.withMeta.unfreezeCustomer({ cuid })),
    onSuccess: async changed => {
      setAsking(false)
      keep(changed)
      // Every status and issue has changed.
      await client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'customer' })
    },
    onError: notice.refused,
  })
  const freeze = useOnce(change.isPending, () => change.mutate(true))
  if (!frozen && !may.rights) return null
  return (
    <Panel title={t('freeze.title')} about={t('freeze.about')}>
      {frozen ? (
        <Alert color="red" title={t('freeze.isFrozen')}>
          {may.rights && (
            <Button variant="default" onClick={() => setAsking(true)}>
              {t('freeze.unfreeze')}
            </Button>
          )}
        </Alert>
      ) : (
        <Button color="red.9" loading={change.isPending} onClick={freeze}>
          {t('freeze.freeze')}
        </Button>
      )}
      <Confirm
        opened={asking}
        title={t('freeze.askTitle')}
        about={t('freeze.askAbout')}
        action={t('freeze.unfreeze')}
        busy={change.isPending}
        error={null}
        onConfirm={() => change.mutate(false)}
        onClose={() => setAsking(false)}
      />
    </Panel>
  )
}
