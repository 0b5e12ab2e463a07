// The customers of the cockpit on a phone: one card each, in the same groups. The whole card opens the customer.

import { Link } from '@tanstack/react-router'
import { useRef } from 'react'
import * as format from '../format/format.ts'
import { useMoves } from '../shell/moves.ts'
import { t } from '../words/words.ts'
import { budgetText, HealthCell, Meter } from './cells.tsx'
import type { CockpitRowsProps } from './cockpit-table.tsx'
import { type CockpitCustomer, GROUPS, groupOf } from './data.ts'
import { Spark } from './spark.tsx'

export function CockpitCards({ customers, cockpit, scene }: CockpitRowsProps) {
  const list = useRef<HTMLDivElement>(null)
  useMoves(list, scene)
  const groups = GROUPS.map(group => {
    const rows = customers.filter(customer => groupOf(customer) === group)
    if (rows.length === 0) return null
    return (
      <section key={group}>
        <h2 className="ck-cards-head">
          <b>{t(`cockpit.group.${group}`)}</b> {format.integer(cockpit.groups[group])}
        </h2>
        {rows.map(customer => (
          <Card key={customer.cuid} customer={customer} nowS={cockpit.asOf} />
        ))}
      </section>
    )
  })
  return <div ref={list}>{groups}</div>
}

function Card({ customer, nowS }: { customer: CockpitCustomer; nowS: number }) {
  const { cuid, company, days, health, spendToday, budgetToday, balance, balanceState } = customer
  const hasMoney = budgetToday > 0 || spendToday > 0
  return (
    <article className="ck-card" data-moves={cuid}>
      <div className="ck-card-top">
        <Link to="/customers/$cuid" params={{ cuid }} className="ck-open">
          {company}
        </Link>
        <Spark days={days} bad={health.level === 'problem'} />
      </div>
      <HealthCell customer={customer} nowS={nowS} />
      {(hasMoney || balance !== null) && (
        <div className="ck-card-money">
          <span>
            {hasMoney && (
              <>
                <b>{format.money(spendToday)}</b> {t('cockpit.ofToday', { budget: budgetText(budgetToday) })}
              </>
            )}
          </span>
          {balance !== null && (
            <span data-balance={balanceState}>
              {t('cockpit.balanceOf', { balance: format.money(balance) })}
            </span>
          )}
        </div>
      )}
      {hasMoney && <Meter customer={customer} />}
    </article>
  )
}
