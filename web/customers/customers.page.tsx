// An app's customers, for its staff: find one, open it, create one.

import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { api } from '../api/client.ts'
import { date, money } from '../format/format.ts'
import { PeriodPicker } from '../period/period-picker.tsx'
import { usePeriod } from '../period/use-period.ts'
import { useMay } from '../session/may.ts'
import { useSession, useSessionChange } from '../session/session.ts'
import { Icon } from '../shell/icon.tsx'
import { useNotice } from '../shell/notice.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { Nothing, Refused, Waiting } from '../shell/states.tsx'
import type { Column } from '../table/column.ts'
import { ListPanel } from '../table/list-panel.tsx'
import { t } from '../words/words.ts'
import { type Customer, customersQuery, spendQuery } from './data.ts'
import { NewCustomer } from './new-customer.tsx'

const idOf = (row: Customer) => row.cuid
const nameOf = (row: Customer) => row.company
const textOf = (row: Customer) => `${row.company} ${row.email} ${row.name ?? ''}`

export function CustomersPage() {
  const session = useSession()
  // A session that acts as a customer may not list the others: staff go back to the app first.
  if (session.level !== 'app') return <BackToApp />
  return <CustomerList />
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

function CustomerList() {
  const customers = useQuery(customersQuery)
  const may = useMay()
  const [creating, setCreating] = useState(false)
  const { startS, endS } = usePeriod()
  const spend = useQuery(spendQuery(startS, endS))
  const columns = useColumns(spend.data ?? null)
  const add = may.edit && (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setCreating(true)}>
      {t('customers.new')}
    </Button>
  )
  return (
    <>
      <PageHead title={t('shell.customers')}>
        <PeriodPicker />
        {add}
      </PageHead>
      {customers.isPending && <Waiting height={300} />}
      {customers.error && <Refused error={customers.error} onRetry={() => customers.refetch()} />}
      {spend.error && <Refused error={spend.error} onRetry={() => spend.refetch()} />}
      {customers.data && (
        <ListPanel
          label={t('shell.customers')}
          rows={customers.data}
          columns={columns}
          idOf={idOf}
          nameOf={nameOf}
          textOf={textOf}
          sorting={{ column: 'company', descending: false }}
          fileName={t('customers.file')}
          empty={<Nothing icon="customers" title={t('customers.none')} about={t('customers.noneAbout')} />}
        />
      )}
      <NewCustomer opened={creating} onClose={() => setCreating(false)} />
    </>
  )
}

/** `spend`: of each customer that has any in the period; null while it is loading. */
function useColumns(spend: Map<number, number> | null): Column<Customer>[] {
  const { timezone } = useSession()
  const notice = useNotice()
  const navigate = useNavigate()
  const { mutate: open } = useSessionChange((cuid: number) => api.openCustomer({ body: { cuid } }))
  return useMemo(
    () => [
      {
        id: 'company',
        title: t('customers.company'),
        value: row => row.company,
        cell: row => (
          <Link to="/customers/$cuid" params={{ cuid: row.cuid }} className="strong-link">
            {row.company}
          </Link>
        ),
        width: 230,
      },
      { id: 'email', title: t('customers.email'), value: row => row.email, width: 220 },
      { id: 'name', title: t('customers.contact'), value: row => row.name, width: 140 },
      { id: 'cuid', title: t('customers.id'), value: row => row.cuid, numeric: true, width: 76 },
      {
        id: 'spend',
        title: t('metric.spend'),
        value: row => spend && (spend.get(row.cuid) ?? 0),
        cell: row => spend && money(spend.get(row.cuid) ?? 0),
        total: rows => spend && money(rows.reduce((sum, row) => sum + (spend.get(row.cuid) ?? 0), 0)),
        numeric: true,
        width: 120,
      },
      {
        id: 'created',
        title: t('customers.created'),
        value: row => row.created,
        cell: row => date(row.created, timezone),
        width: 124,
      },
      {
        id: 'apiAccess',
        title: t('customers.access'),
        value: row => row.apiAccess,
        cell: row => t(row.apiAccess ? 'table.yes' : 'table.no'),
        width: 116,
      },
      {
        id: 'open',
        title: t('customers.open'),
        control: true,
        value: () => null,
        cell: row => (
          <Button
            size="xs"
            variant="default"
            disabled={!row.apiAccess}
            aria-label={t('customers.openNamed', { name: row.company })}
            onClick={() =>
              open(row.cuid, { onSuccess: () => navigate({ to: '/' }), onError: notice.refused })
            }
          >
            {t('customers.open')}
          </Button>
        ),
        width: 104,
      },
    ],
    [spend, timezone, open, navigate, notice.refused],
  )
}
