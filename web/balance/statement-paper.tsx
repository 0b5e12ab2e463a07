// A statement as a sheet of paper, the same on the screen and in print.

import type { Customer } from '../customers/data.ts'
import * as format from '../format/format.ts'
import { unixToWall } from '../period/zone.ts'
import { nowMs } from '../sandbox/clock.ts'
import { useSession } from '../session/session.ts'
import { BrandMark } from '../shell/brand-mark.tsx'
import type { Bucket } from '../stats/figures.ts'
import { t } from '../words/words.ts'
import type { Statement } from './data.ts'
import { totalsOf } from './statement-lines.ts'
import { ByCampaign, StatementTable } from './statement-table.tsx'
import './statement.css'

interface StatementPaperProps {
  statement: Statement
  customer: Customer
  month: string
  /** Names of the campaigns that still exist. */
  names: ReadonlyMap<number, string>
  figures: readonly Bucket[] | undefined
}

export function StatementPaper({ statement, customer, month, names, figures }: StatementPaperProps) {
  const { brand } = useSession()
  const { timezone, number, opening, closing, externalId, cuid } = statement
  const { credited, spent } = totalsOf(statement)
  const dayAt = (timeS: number) => unixToWall(timeS, timezone).slice(0, 10)
  const byDay = figures && new Map(figures.map(bucket => [dayAt(bucket.date), bucket]))
  const inCurrency = t('balance.amountsIn', { currency: format.currencyName() })
  return (
    <article className="paper" aria-label={t('balance.of', { month })}>
      <BrandMark brand={brand} />
      <div className="to">
        <Address customer={customer} />
        <div className="which">
          <h2 className="l">{month}</h2>
          <p className="q">
            {t('balance.number', { number })}
            <br />
            {t('balance.customerNumber', { number: externalId ?? String(cuid) })}, {inCurrency}
          </p>
        </div>
      </div>
      <dl className="totals">
        <Total name={t('balance.opening')} amount={format.money(opening)} />
        <Total name={t('balance.credited')} amount={format.money(credited)} />
        <Total name={t('balance.spent')} amount={format.money(spent)} />
        <Total name={t('balance.closing')} amount={format.money(closing)} />
      </dl>
      <StatementTable statement={statement} figures={byDay} nowS={nowMs() / 1000} />
      <ByCampaign statement={statement} names={names} />
      <p className="s q small-print">
        {t('balance.midnight', { zone: placeOf(timezone) })} {t('balance.smallPrint')}
      </p>
    </article>
  )
}

function Total({ name, amount }: { name: string; amount: string }) {
  return (
    <div>
      <dt className="s q">{name}</dt>
      <dd className="n">
        <b>{amount}</b>
      </dd>
    </div>
  )
}

/** `Berlin` for `Europe/Berlin`. */
const placeOf = (timezone: string) => timezone.split('/').at(-1)!.replaceAll('_', ' ')

/** As on an envelope. */
function Address({ customer }: { customer: Customer }) {
  const { company, name, address, zip, city, state, country } = customer
  const place = [zip, city].filter(Boolean).join(' ')
  const lines = [name, address, place, state, country].filter(line => line !== null && line !== '')
  return (
    <address>
      <span className="s q">{t('balance.for')}</span>
      {'\n'}
      <b>{company}</b>
      {'\n'}
      {lines.join('\n')}
    </address>
  )
}
