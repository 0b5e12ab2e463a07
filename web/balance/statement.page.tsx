// The statement of a month, for the customer or for staff of its app. It prints as one clean document: brand, address,
// number, entries, balances; nothing of the console around it.

import { Button, Group, Paper, Select, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useCampaigns } from '../campaigns/data.ts'
import { type Customer, customerQuery } from '../customers/data.ts'
import * as format from '../format/format.ts'
import { useCuid, useSession } from '../session/session.ts'
import { BrandMark } from '../shell/brand-mark.tsx'
import { Icon } from '../shell/icon.tsx'
import { useNotice } from '../shell/notice.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { Refused, Waiting } from '../shell/states.tsx'
import { saveFile } from '../table/csv.ts'
import { t } from '../words/words.ts'
import { statementAsCsv, statementQuery } from './data.ts'
import { StatementTable } from './statement-table.tsx'
import './statement.css'
import { nowMs } from '../sandbox/clock.ts'

export function OwnStatementPage() {
  const cuid = useCuid()
  return <StatementPage cuid={cuid} crumb={{ name: t('account.title'), to: '/account' }} />
}

export function CustomerStatementPage() {
  const { cuid } = useParams({ from: '/inside/app/customers/$cuid/statement' })
  const { data } = useQuery(customerQuery(cuid))
  return <StatementPage cuid={cuid} crumb={{ name: data?.company ?? '', to: `/customers/${cuid}` }} />
}

const MONTHS = 24

/** The last ones, the present one first: `2026-11`. */
function lastMonths(timeZone: string): string[] {
  const parts = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit' })
  const [year, month] = parts.format(nowMs()).split('-').map(Number) as [number, number]
  return Array.from({ length: MONTHS }, (_, back) =>
    new Date(Date.UTC(year, month - 1 - back, 1)).toISOString().slice(0, 7),
  )
}

const monthName = (month: string) => format.month(Date.parse(`${month}-15T12:00:00Z`) / 1000, 'UTC')

interface StatementPageProps {
  cuid: number
  crumb: { name: string; to: string }
}

function StatementPage({ cuid, crumb }: StatementPageProps) {
  const { brand, timezone } = useSession()
  const customer = useQuery(customerQuery(cuid))
  const months = lastMonths(customer.data?.timezone ?? timezone)
  const [chosen, setChosen] = useState<string | null>(null)
  const month = chosen ?? months[0]!
  const statement = useQuery(statementQuery(cuid, month))
  const campaigns = useCampaigns(cuid)
  const notice = useNotice()
  const save = () =>
    statementAsCsv(cuid, month)
      .then(file => saveFile(`${t('balance.statement')}-${cuid}-${month}.csv`, 'text/csv', file))
      .catch(notice.refused)
  const names = new Map(campaigns.data?.map(({ cid, name }) => [cid, name]))
  return (
    <>
      <div className="screen-only">
        <PageHead title={t('balance.statement')} crumbs={[crumb]}>
          <Select
            aria-label={t('balance.month')}
            allowDeselect={false}
            value={month}
            data={months.map(value => ({ value, label: monthName(value) }))}
            onChange={setChosen}
          />
          <Button variant="default" leftSection={<Icon name="download" size={16} />} onClick={save}>
            {t('table.csv')}
          </Button>
          <Button onClick={() => window.print()}>{t('balance.print')}</Button>
        </PageHead>
      </div>
      {(statement.isPending || customer.isPending) && <Waiting height={300} />}
      {statement.error && <Refused error={statement.error} onRetry={() => statement.refetch()} />}
      {statement.data && customer.data && (
        <Paper p={{ base: 'md', sm: 'xl' }} className="document">
          <Group justify="space-between" align="flex-start" mb="xl">
            <BrandMark brand={brand} />
            <Text size="sm" ta="right">
              {t('balance.number', { number: statement.data.number })}
              <br />
              {format.dayRange(statement.data.from, statement.data.to, statement.data.timezone)}
              <br />
              {statement.data.timezone}
            </Text>
          </Group>
          <Address customer={customer.data} />
          <Text component="h2" fz="h3" fw="var(--strong)" mb="md">
            {t('balance.of', { month: monthName(month) })}
          </Text>
          <StatementTable statement={statement.data} names={names} />
        </Paper>
      )}
    </>
  )
}

/** As on an envelope. */
function Address({ customer }: { customer: Customer }) {
  const { company, name, address, zip, city, state, country, externalId } = customer
  const place = [zip, city].filter(Boolean).join(' ')
  const lines = [company, name, address, place, state, country].filter(line => line !== null && line !== '')
  return (
    <Text component="address" size="sm" mb="xl" style={{ fontStyle: 'normal', whiteSpace: 'pre-line' }}>
      {lines.join('\n')}
      {externalId !== null && `\n${t('balance.customerNumber', { number: externalId })}`}
    </Text>
  )
}
