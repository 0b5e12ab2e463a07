// The account of the customer: its details and preferences, its money, its emails, its people and its keys.

import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { AgentsPanel } from '../agents/agents-panel.tsx'
import type { Tagged } from '../api/client.ts'
import { BalancePanel } from '../balance/balance-panel.tsx'
import { CustomerForm } from '../customers/customer-form.tsx'
import { type Customer, customerQuery } from '../customers/data.ts'
import { useCuid } from '../session/session.ts'
import { PageHead } from '../shell/page-head.tsx'
import { PageTabs, shownTab } from '../shell/page-tabs.tsx'
import { Refused, Waiting } from '../shell/states.tsx'
import { t } from '../words/words.ts'
import { Freeze } from './freeze.tsx'
import { Keys } from './keys.tsx'
import { Mails } from './mails.tsx'
import { Members } from './members.tsx'
import { ReaderPreferences } from './reader-preferences.tsx'

/** Mails link to them: src/notify/mails/compose.ts. */
const TABS = ['company', 'billing', 'emails', 'people', 'keys']

export function AccountPage() {
  const customer = useQuery(customerQuery(useCuid()))
  const { tab } = useSearch({ from: '/inside/customer/account' })
  return (
    <>
      <PageHead title={t('account.title')} />
      {customer.isPending && <Waiting height={300} />}
      {customer.error && <Refused error={customer.error} onRetry={() => customer.refetch()} />}
      {customer.data && (
        <Stack gap="lg">
          {customer.data.frozen && <Freeze customer={customer.data} />}
          <PageTabs shown={shownTab(TABS, tab)} tabs={tabsOf(customer.data)} />
        </Stack>
      )}
    </>
  )
}

const tabsOf = (customer: Tagged<Customer>) => [
  {
    value: 'company',
    label: t('customers.field.company'),
    content: (
      <Stack gap="lg">
        <CustomerForm customer={customer} />
        <ReaderPreferences customer={customer} />
        {!customer.frozen && <Freeze customer={customer} />}
      </Stack>
    ),
  },
  { value: 'billing', label: t('account.billing'), content: <BalancePanel customer={customer} /> },
  { value: 'emails', label: t('mails.title'), content: <Mails cuid={customer.cuid} /> },
  { value: 'people', label: t('members.title'), content: <Members cuid={customer.cuid} /> },
  {
    value: 'keys',
    label: t('keys.title'),
    content: (
      <Stack gap="lg">
        <AgentsPanel cuid={customer.cuid} />
        <Keys cuid={customer.cuid} />
      </Stack>
    ),
  },
]
