// The home of an app's staff: all customers, those that need a person first.

import './cockpit.css'
import { Alert, Button } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { api } from '../api/client.ts'
import { NewCustomer } from '../customers/new-customer.tsx'
import { useZone } from '../period/use-period.ts'
import { useMay } from '../session/may.ts'
import { useSession, useSessionChange } from '../session/session.ts'
import { Icon } from '../shell/icon.tsx'
import { useNotice } from '../shell/notice.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { Nothing, Refused } from '../shell/states.tsx'
import { useAddressChoice, useAddressState, useAddressText } from '../table/address-state.ts'
import { SearchField } from '../table/search-field.tsx'
import { t } from '../words/words.ts'
import { CockpitCards } from './cockpit-cards.tsx'
import { CockpitTable } from './cockpit-table.tsx'
import { saveCsv } from './csv.ts'
import { type Asked, cockpitQuery, type Filter, type Seen } from './data.ts'
import { Strip } from './strip.tsx'

const FILTERS = ['all', 'problems', 'balance', 'banners', 'proposals', 'idle'] as const
/** Too narrow for the table. */
const NARROW = '(max-width: 1000px)'

export function CockpitPage() {
  const session = useSession()
  // A session that acts as a customer may not list the others: staff return to the app first.
  if (session.level !== 'app') return <BackToApp />
  return <Customers />
}

function BackToApp() {
  const { customer } = useSession()
  const closing = useSessionChange<void>(() => api.closeCustomer())
  return (
    <Nothing icon="customers" title={t('customers.opened', { name: customer?.company ?? '' })}>
      {closing.error && <Refused error={closing.error} />}
      <Button loading={closing.isPending} onClick={() => closing.mutate()}>
        {t('shell.closeCustomer')}
      </Button>
    </Nothing>
  )
}

function Customers() {
  const may = useMay()
  const [creating, setCreating] = useState(false)
  const [typed, setTyped] = useAddressText('q')
  const [filter, setFilter] = useAddressChoice('filter', FILTERS, 'all')
  // The search runs when typing pauses.
  const [q = ''] = useAddressState('q')
  const asked = askedOf(q, filter)
  const seen = useRef<Seen | null>(null)
  const isNarrow = useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false })
  const cockpit = useInfiniteQuery(cockpitQuery(asked, seen))
  const pages = cockpit.data?.pages
  const first = pages?.[0]
  const customers = pages?.flatMap(page => page.customers) ?? []
  const Rows = isNarrow ? CockpitCards : CockpitTable
  return (
    <div className="cockpit">
      <PageHead title={t('shell.customers')}>
        <SearchField
          placeholder={t('cockpit.search')}
          className="ck-search"
          value={typed}
          onChange={setTyped}
        />
        {first && first.strip.banners > 0 && (
          <Button component={Link} to="/review" variant="default" leftSection={<Icon name="eye" size={16} />}>
            {t('review.open', { count: first.strip.banners })}
          </Button>
        )}
        <CsvButton asked={asked} disabled={customers.length === 0} />
        {may.edit && (
          <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setCreating(true)}>
            {t('customers.new')}
          </Button>
        )}
      </PageHead>
      <Strip cockpit={first} filter={asked.filter} onFilter={next => setFilter(next ?? 'all')} />
      {first?.refusedSources.map(one => (
        <Alert key={`${one.sourceId} ${one.reason}`} color="red" mb="md" role="status">
          {t('cockpit.refusedAt', { ...one, reason: t(`reason.${one.reason}`) })}
        </Alert>
      ))}
      {cockpit.error && <Refused error={cockpit.error} onRetry={() => cockpit.refetch()} />}
      {first === undefined && !cockpit.error && <Bones />}
      {first && customers.length > 0 && (
        <Rows customers={customers} cockpit={first} scene={JSON.stringify(asked)} />
      )}
      {first && customers.length === 0 && <Empty isAsked={q !== '' || filter !== 'all'} />}
      {cockpit.hasNextPage && (
        <Button
          variant="default"
          mt="md"
          loading={cockpit.isFetchingNextPage}
          onClick={() => cockpit.fetchNextPage()}
        >
          {t('cockpit.more', { count: (first?.total.customers ?? 0) - customers.length })}
        </Button>
      )}
      <NewCustomer opened={creating} onClose={() => setCreating(false)} />
    </div>
  )
}

function askedOf(typed: string, filter: Filter | 'all'): Asked {
  const q = typed.trim()
  return { ...(q === '' ? {} : { q }), ...(filter === 'all' ? {} : { filter }) }
}

function CsvButton({ asked, disabled }: { asked: Asked; disabled: boolean }) {
  const notice = useNotice()
  const zone = useZone()
  const [busy, setBusy] = useState(false)
  const save = async () => {
    setBusy(true)
    await saveCsv(asked, zone).catch(notice.refused)
    setBusy(false)
  }
  return (
    <Button
      variant="default"
      leftSection={<Icon name="download" size={16} />}
      loading={busy}
      disabled={disabled}
      onClick={save}
    >
      {t('table.csv')}
    </Button>
  )
}

function Empty({ isAsked }: { isAsked: boolean }) {
  if (isAsked)
    return <Nothing icon="search" title={t('cockpit.noneFound')} about={t('cockpit.noneFoundAbout')} />
  return <Nothing icon="customers" title={t('customers.none')} about={t('customers.noneAbout')} />
}

/** The outline of the rows to come: no figure is shown before it is known. */
function Bones() {
  return (
    <div className="ck-bones" role="status" aria-label={t('common.loading')}>
      {Array.from({ length: 6 }, (_, n) => n).map(n => (
        <span key={n} className="ck-bone" />
      ))}
    </div>
  )
}
