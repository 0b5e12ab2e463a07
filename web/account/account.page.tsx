// The account of the customer: its details, its preferences, its people and its keys.

import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { BalancePanel } from '../balance/balance-panel.tsx'
import { CustomerForm } from '../customers/customer-form.tsx'
import { customerQuery } from '../customers/data.ts'
import { useCuid } from '../session/session.ts'
import { PageHead } from '../shell/page-head.tsx'
import { Refused, Waiting } from '../shell/states.tsx'
import { t } from '../words/words.ts'
import { Freeze } from './freeze.tsx'
import { Keys } from './keys.tsx'
import { Mails } from './mails.tsx'
import { Members } from './members.tsx'
import { ReaderPreferences } from './reader-preferences.tsx'

export function AccountPage() {
  const cuid = useCuid()
  const customer = useQuery(customerQuery(cuid))
  return (
    <>
      <PageHead title={t('account.title')} />
      <Stack gap="lg">
        {customer.isPending && <Waiting height={300} />}
        {customer.error && <Refused error={customer.error} onRetry={() => customer.refetch()} />}
        {customer.data && <BalancePanel customer={customer.data} />}
        {customer.data && <CustomerForm customer={customer.data} />}
        {customer.data && <ReaderPreferences customer={customer.data} />}
        <Mails cuid={cuid} />
        <Members cuid={cuid} />
        <Keys cuid={cuid} />
        {customer.data && <Freeze customer={customer.data} />}
      </Stack>
    </>
  )
}
