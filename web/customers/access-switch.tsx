// API access of a customer. Switching it off stops everything, and asks first.

import { Switch } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, tagged } from '../api/client.ts'
import { Confirm } from '../form/confirm.tsx'
import { useMay } from '../session/may.ts'
import { useNotice } from '../shell/notice.tsx'
import { t } from '../words/words.ts'
import { type Customer, useKeepCustomer } from './data.ts'

export function AccessSwitch({ customer }: { customer: Customer }) {
  const { cuid, company, apiAccess } = customer
  const keep = useKeepCustomer()
  const notice = useNotice()
  const may = useMay()
  const [asking, setAsking] = useState(false)
  const access = useMutation({
    mutationFn: (wanted: boolean) => tagged(api.withMeta.editCustomer({ cuid, body: { apiAccess: wanted } })),
    onSuccess: changed => {
      keep(changed)
      setAsking(false)
    },
  })
  if (!may.edit) return null
  return (
    <>
      <Switch
        label={t('customers.access')}
        checked={apiAccess}
        onChange={() => {
          access.reset()
          if (apiAccess) setAsking(true)
          else access.mutate(true, { onError: notice.refused })
        }}
      />
      <Confirm
        opened={asking}
        title={t('customers.accessOff', { name: company })}
        about={t('customers.accessOffAbout')}
        action={t('customers.switchOff')}
        busy={access.isPending}
        error={access.error}
        onConfirm={() => access.mutate(false)}
        onClose={() => setAsking(false)}
      />
    </>
  )
}
