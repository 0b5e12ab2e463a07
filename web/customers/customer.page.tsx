// One customer, for the staff of its app: its spend and campaigns, its money, its people and keys, its emails and its
// settings, and a way to act as that customer. Its API access is switched here, and it is removed and restored here.
// While that is off, only the customer itself is shown.

import { Button, SegmentedControl, SimpleGrid, Stack, Switch, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { Freeze } from '../account/freeze.tsx'
import { Keys } from '../account/keys.tsx'
import { Mails } from '../account/mails.tsx'
import { Members } from '../account/members.tsx'
import { ReaderPreferences } from '../account/reader-preferences.tsx'
import { api, type Tagged, tagged } from '../api/client.ts'
import { BalancePanel } from '../balance/balance-panel.tsx'
import { Confirm } from '../form/confirm.tsx'
import * as format from '../format/format.ts'
import { PeriodPicker } from '../period/period-picker.tsx'
import { usePeriod, useZone } from '../period/use-period.ts'
import { useMay } from '../session/may.ts'
import { Icon } from '../shell/icon.tsx'
import { isGone } from '../shell/not-found.tsx'
import { useNotice } from '../shell/notice.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { PageTabs, shownTab } from '../shell/page-tabs.tsx'
import { Panel } from '../shell/panel.tsx'
import { Refused, Waiting } from '../shell/states.tsx'
import { FigureCards } from '../stats/figure-cards.tsx'
import { comparedWords, useFigures } from '../stats/use-figures.ts'
import { t } from '../words/words.ts'
import { CustomerCampaigns } from './customer-campaigns.tsx'
import { CustomerForm } from './customer-form.tsx'
import { CustomerHealth } from './customer-health.tsx'
import { type Customer, customerQuery, useActAs, useKeepCustomer } from './data.ts'
import { RemoveCustomer, RestoreCustomer } from './remove-customer.tsx'

const TABS = ['overview', 'billing', 'access', 'emails', 'settings']

export function CustomerPage() {
  const { cuid } = useParams({ from: '/inside/app/customers/$cuid' })
  const { tab } = useSearch({ from: '/inside/app/customers/$cuid' })
  const customer = useQuery(customerQuery(cuid))
  const actAs = useActAs(cuid)
  if (customer.isPending) return <Waiting />
  if (isGone(customer.error)) return <RestoreCustomer cuid={cuid} />
  if (!customer.data) return <Refused error={customer.error} onRetry={() => customer.refetch()} />
  const { company, apiAccess, frozen } = customer.data
  const shown = shownTab(TABS, tab)
  return (
    <>
      <PageHead title={company} crumbs={[{ name: t('shell.customers'), to: '/customers' }]}>
        <AccessSwitch customer={customer.data} />
        {apiAccess && shown === 'overview' && <PeriodPicker />}
        <Button
          disabled={!apiAccess}
          leftSection={<Icon name="open" size={16} />}
          loading={actAs.isPending}
          onClick={() => actAs.go({ to: '/' })}
        >
          {t('customers.workAs')}
        </Button>
      </PageHead>
      <Stack gap="lg">
        <CustomerHealth customer={customer.data} />
        {frozen && <Freeze customer={customer.data} />}
        {apiAccess ? (
          <PageTabs shown={shown} tabs={tabsOf(customer.data)} />
        ) : (
          <Settings customer={customer.data} />
        )}
      </Stack>
    </>
  )
}

const tabsOf = (customer: Tagged<Customer>) => [
  {
    value: 'overview',
    label: t('shell.overview'),
    content: (
      <Stack gap="lg">
        <Figures cuid={customer.cuid} />
        <CustomerCampaigns customer={customer} />
      </Stack>
    ),
  },
  { value: 'billing', label: t('account.billing'), content: <BalancePanel customer={customer} /> },
  {
    value: 'access',
    label: t('customers.peopleAndKeys'),
    content: (
      <Stack gap="lg">
        <Members cuid={customer.cuid} />
        <Keys cuid={customer.cuid} />
      </Stack>
    ),
  },
  { value: 'emails', label: t('mails.title'), content: <Mails cuid={customer.cuid} /> },
  { value: 'settings', label: t('campaigns.settings'), content: <Settings customer={customer} /> },
]

function Settings({ customer }: { customer: Tagged<Customer> }) {
  return (
    <Stack gap="lg">
      <CustomerForm key={customer.cuid} customer={customer} />
      <ReaderPreferences customer={customer} />
      <ReviewChoice customer={customer} />
      {!customer.frozen && <Freeze customer={customer} />}
      <RemoveCustomer customer={customer} />
    </Stack>
  )
}

function Figures({ cuid }: { cuid: number }) {
  const zone = useZone()
  const period = usePeriod()
  const { data, error } = useFigures(cuid, { previous: true }, cuid)
  return (
    <SimpleGrid cols={1}>
      <FigureCards
        figures={data?.summary ?? null}
        previous={data?.previous}
        asOf={data && format.clockIn(data.asOf, zone)}
        error={data ? null : error}
      />
      {data?.previous && (
        <Text size="sm" c="dimmed">
          {comparedWords(period, data.previous)}
        </Text>
      )}
    </SimpleGrid>
  )
}

/** API access of a customer. Switching it off stops everything, and asks first. */
function AccessSwitch({ customer }: { customer: Customer }) {
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

const AS_APP = 'app'

/** Whether a person reviews the banners of a customer before they are shown. */
function ReviewChoice({ customer: { cuid, review } }: { customer: Customer }) {
  const keep = useKeepCustomer()
  const notice = useNotice()
  const may = useMay()
  const changing = useMutation({
    mutationFn: (wanted: Customer['review']) =>
      tagged(api.withMeta.editCustomer({ cuid, body: { review: wanted } })),
    onSuccess: changed => {
      keep(changed)
      notice.done(t('form.saved'))
    },
    onError: notice.refused,
  })
  return (
    <Panel title={t('review.choice')} about={t('review.choiceAbout')}>
      {may.rights ? (
        <SegmentedControl
          aria-label={t('review.choice')}
          disabled={changing.isPending}
          value={review ?? AS_APP}
          data={[
            { value: AS_APP, label: t('review.asApp') },
            { value: 'automatic', label: t('review.automatic') },
            { value: 'manual', label: t('review.manual') },
          ]}
          onChange={next => changing.mutate(next === AS_APP ? null : (next as Customer['review']))}
        />
      ) : (
        <Text size="sm">{t(review === null ? 'review.asApp' : `review.${review}`)}</Text>
      )}
    </Panel>
  )
}
