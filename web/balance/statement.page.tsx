// The statement of a month, for the customer or for staff of its app: a sheet of paper that prints as shown, without
// the console around it.

import { Button, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useCampaigns } from '../campaigns/data.ts'
import { customerQuery } from '../customers/data.ts'
import * as format from '../format/format.ts'
import { nowMs } from '../sandbox/clock.ts'
import { useCuid, useSession } from '../session/session.ts'
import { Icon } from '../shell/icon.tsx'
import { useNotice } from '../shell/notice.tsx'
import { type Crumb, PageHead } from '../shell/page-head.tsx'
import { Refused, Waiting } from '../shell/states.tsx'
import { useAddressChoice } from '../table/address-state.ts'
import { saveFile } from '../table/csv.ts'
import { t } from '../words/words.ts'
import { statementAsCsv, statementFiguresQuery, statementQuery } from './data.ts'
import { StatementPaper } from './statement-paper.tsx'

export function OwnStatementPage() {
  const cuid = useCuid()
  return <StatementPage cuid={cuid} crumb={{ name: t('account.title'), to: '/account', tab: 'billing' }} />
}

export function CustomerStatementPage() {
  const { cuid } = useParams({ from: '/inside/app/customers/$cuid/statement' })
  const { data } = useQuery(customerQuery(cuid))
  return (
    <StatementPage
      cuid={cuid}
      crumb={{ name: data?.company ?? '', to: `/customers/${cuid}`, tab: 'billing' }}
    />
  )
}

const MONTHS = 24

/** The last 24 months, such as `2026-11`, the current one first. */
function lastMonths(timeZone: string): string[] {
  const parts = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit' })
  const [year, month] = parts.format(nowMs()).split('-').map(Number) as [number, number]
  return Array.from({ length: MONTHS }, (_, back) =>
    new Date(Date.UTC(year, month - 1 - back, 1)).toISOString().slice(0, 7),
  )
}

const monthName = (month: string) => format.longMonth(Date.parse(`${month}-15T12:00:00Z`) / 1000, 'UTC')

interface StatementPageProps {
  cuid: number
  crumb: Crumb
}

function StatementPage({ cuid, crumb }: StatementPageProps) {
  const { timezone } = useSession()
  const customer = useQuery(customerQuery(cuid))
  const months = lastMonths(customer.data?.timezone ?? timezone)
  const [month, setMonth] = useAddressChoice('month', months, months[0]!)
  const statement = useQuery(statementQuery(cuid, month))
  const figures = useQuery(statementFiguresQuery(cuid, statement.data))
  const campaigns = useCampaigns(cuid)
  const notice = useNotice()
  const save = () =>
    statementAsCsv(cuid, month)
      .then(file => saveFile(`${t('balance.statement')}-${cuid}-${month}.csv`, 'text/csv', file))
      .catch(notice.refused)
  const names = new Map(campaigns.data?.map(({ cid, name }) => [cid, name]))
  return (
    <div className="sheet">
      <div className="screen-only">
        <PageHead title={t('balance.statement')} crumbs={[crumb]}>
          <Select
            aria-label={t('balance.month')}
            allowDeselect={false}
            w={{ base: '100%', sm: 190 }}
            leftSection={<Icon name="calendar" />}
            value={month}
            data={months.map(value => ({ value, label: monthName(value) }))}
            onChange={next => next && setMonth(next)}
          />
          <Button variant="default" leftSection={<Icon name="download" size={16} />} onClick={save}>
            {t('table.csv')}
          </Button>
          <Button leftSection={<Icon name="print" />} onClick={() => window.print()}>
            {t('balance.print')}
          </Button>
        </PageHead>
      </div>
      {(statement.isPending || customer.isPending) && <Waiting height={300} />}
      {statement.error && <Refused error={statement.error} onRetry={() => statement.refetch()} />}
      {statement.data && customer.data && (
        <StatementPaper
          statement={statement.data}
          customer={customer.data}
          month={monthName(month)}
          names={names}
          figures={figures.data}
        />
      )}
    </div>
  )
}
