// Removes a customer, after saying what that stops; and restores a removed customer for as long as that is possible.

import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../api/client.ts'
import { DeleteButton } from '../form/delete-button.tsx'
import { useMay } from '../session/may.ts'
import { useNotice } from '../shell/notice.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { Panel } from '../shell/panel.tsx'
import { Nothing } from '../shell/states.tsx'
import { t } from '../words/words.ts'
import { type Customer, customerQuery } from './data.ts'

export function RemoveCustomer({ customer: { cuid, company } }: { customer: Customer }) {
  const client = useQueryClient()
  const may = useMay()
  const removing = useMutation({
    mutationFn: () => api.deleteCustomer({ cuid }),
    // The page finds that the customer is gone, and offers to restore it.
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['cockpit'] })
      await client.resetQueries({ queryKey: customerQuery(cuid).queryKey })
    },
  })
  if (!may.rights) return null
  return (
    <Panel title={t('customers.remove')} about={t('customers.removeAbout')}>
      <DeleteButton
        title={t('customers.removeTitle', { name: company })}
        about={t('customers.removeAsk')}
        busy={removing.isPending}
        error={removing.error}
        onConfirm={() => removing.mutate()}
      />
    </Panel>
  )
}

/** For a customer that is not there: it never existed, or it was removed. */
export function RestoreCustomer({ cuid }: { cuid: number }) {
  const client = useQueryClient()
  const notice = useNotice()
  const may = useMay()
  const restoring = useMutation({
    mutationFn: () => api.restoreCustomer({ cuid }),
    onSuccess: async () => {
      notice.done(t('customers.restored'))
      await client.invalidateQueries({ queryKey: ['cockpit'] })
      await client.resetQueries({ queryKey: customerQuery(cuid).queryKey })
    },
    onError: notice.refused,
  })
  return (
    <>
      <PageHead title={t('common.gone')} crumbs={[{ name: t('shell.customers'), to: '/customers' }]} />
      <Nothing
        icon="search"
        title={t('customers.goneAbout')}
        about={may.rights ? t('customers.restoreAbout') : undefined}
      >
        {may.rights && (
          <Button variant="default" loading={restoring.isPending} onClick={() => restoring.mutate()}>
            {t('customers.restore')}
          </Button>
        )}
        <Button component={Link} to="/customers">
          {t('shell.customers')}
        </Button>
      </Nothing>
    </>
  )
}
