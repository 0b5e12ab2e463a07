// The customers of the cockpit as a table in groups. The whole row opens the customer; head and totals stay in view.

import { Link } from '@tanstack/react-router'
import { useRef } from 'react'
import * as format from '../format/format.ts'
import { useMoves } from '../shell/moves.ts'
import { t } from '../words/words.ts'
import { budgetText, HealthCell, Meter, Shown } from './cells.tsx'
import { type Cockpit, type CockpitCustomer, clickRate, GROUPS, groupOf } from './data.ts'
import { Spark } from './spark.tsx'

const COLUMNS = 8

export interface CockpitRowsProps {
  customers: readonly CockpitCustomer[]
  /** The totals of all matching customers, not only of those loaded. */
  cockpit: Cockpit
  /** What the page asks for: filter and search. */
  scene: string
}

export function CockpitTable({ customers, cockpit, scene }: CockpitRowsProps) {
  const table = useRef<HTMLTableElement>(null)
  useMoves(table, scene)
  const { total, groups } = cockpit
  return (
    <table ref={table} className="ck-table" aria-label={t('shell.customers')}>
      <thead>
        <tr>
          <th>{t('cockpit.customer')}</th>
          <th>{t('cockpit.health')}</th>
          <th>{t('cockpit.days')}</th>
          <th>{t('cockpit.today')}</th>
          <th className="ck-r">{t('cockpit.spend')}</th>
          <th className="ck-r">{t('metric.imps')}</th>
          <th className="ck-r">{t('metric.ctr')}</th>
          <th className="ck-r">{t('cockpit.balance')}</th>
        </tr>
      </thead>
      {GROUPS.map(group => {
        const rows = customers.filter(customer => groupOf(customer) === group)
        if (rows.length === 0) return null
        return (
          <tbody key={group}>
            <tr className="ck-group">
              <th colSpan={COLUMNS} scope="rowgroup">
                <b>{t(`cockpit.group.${group}`)}</b> {format.integer(groups[group])}
              </th>
            </tr>
            {rows.map(customer => (
              <Row key={customer.cuid} customer={customer} nowS={cockpit.asOf} />
            ))}
          </tbody>
        )
      })}
      <tfoot>
        <tr>
          <td>{t('cockpit.customers', { count: total.customers })}</td>
          <td className="ck-quiet">{t('cockpit.deliver', { count: groups.delivers })}</td>
          <td />
          <td>
            <span className="ck-bud">
              {format.money(total.spendToday)}{' '}
              <span className="ck-of">{t('cockpit.of', { budget: budgetText(total.budgetToday) })}</span>
            </span>
          </td>
          <td className="ck-r">{format.money(total.spend)}</td>
          <td className="ck-r">{format.integer(total.imps)}</td>
          <td className="ck-r">
            <Shown value={clickRate(total)}>{format.percent}</Shown>
          </td>
          <td className="ck-r">{format.money(total.balance)}</td>
        </tr>
      </tfoot>
    </table>
  )
}

function Row({ customer, nowS }: { customer: CockpitCustomer; nowS: number }) {
  const { cuid, company, email, health, days, spend, imps, balance, balanceState } = customer
  return (
    <tr className="ck-row" data-moves={cuid}>
      <td>
        <Link to="/customers/$cuid" params={{ cuid }} className="ck-open">
          {company}
        </Link>
        <span className="ck-sub">{email}</span>
      </td>
      <td>
        <HealthCell customer={customer} nowS={nowS} />
      </td>
      <td>
        <Spark days={days} bad={health.level === 'problem'} />
      </td>
      <td>
        {customer.budgetToday > 0 || customer.spendToday > 0 ? (
          <span className="ck-today">
            <span className="ck-bud">
              {format.money(customer.spendToday)}{' '}
              <span className="ck-of">{t('cockpit.of', { budget: budgetText(customer.budgetToday) })}</span>
            </span>
            <Meter customer={customer} />
          </span>
        ) : (
          <span className="ck-none">–</span>
        )}
      </td>
      <td className="ck-r">
        <Shown value={imps > 0 || spend > 0 ? spend : null}>{format.money}</Shown>
      </td>
      <td className="ck-r">
        <Shown value={imps > 0 ? imps : null}>{format.integer}</Shown>
      </td>
      <td className="ck-r">
        <Shown value={clickRate(customer)}>{format.percent}</Shown>
      </td>
      <td className="ck-r" data-balance={balanceState}>
        <Shown value={balance}>{format.money}</Shown>
      </td>
    </tr>
  )
}
