// The entries of a statement with the balance after each, and what each campaign spent.

import * as format from '../format/format.ts'
import { unixToWall } from '../period/zone.ts'
import type { Bucket } from '../stats/figures.ts'
import { t } from '../words/words.ts'
import type { Statement } from './data.ts'
import { linesOf, type StatementLine, shownFor, spendByCampaign } from './statement-lines.ts'

interface StatementTableProps {
  statement: Statement
  /** By day; undefined while they load. */
  figures: ReadonlyMap<string, Bucket> | undefined
  nowS: number
}

export function StatementTable({ statement, figures, nowS }: StatementTableProps) {
  const { closing, to, timezone } = statement
  const lines = linesOf(statement)
  const today = unixToWall(nowS, timezone).slice(0, 10)
  const last = Math.min(to - 1, nowS)
  return (
    <table className="entries">
      <caption className="visually-hidden">{t('balance.entries')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('balance.date')}</th>
          <th scope="col">{t('balance.entry')}</th>
          <th scope="col" className="r">
            {t('balance.amount')}
          </th>
          <th scope="col" className="r">
            {t('balance.after')}
          </th>
        </tr>
      </thead>
      <tbody>
        {lines.length === 0 && (
          <tr>
            <td colSpan={4} className="q">
              {t('balance.noEntries')}
            </td>
          </tr>
        )}
        {lines.map(line => (
          <tr key={line.key}>
            <td className="when">{daysOf(line, timezone)}</td>
            <td>
              <div className="what">
                <span>{t(`balance.line.${line.kind}`)}</span>{' '}
                <span className="q">{detailOf(line, figures, today)}</span>
              </div>
            </td>
            <td className="r">
              {line.amount > 0 ? <b>{format.signedMoney(line.amount)}</b> : format.signedMoney(line.amount)}
            </td>
            <td className="r">{format.money(line.balance)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row" colSpan={3}>
            {t('balance.closingOn', { day: format.dayAndMonth(last, timezone) })}
          </th>
          <td className="r">{format.money(closing)}</td>
        </tr>
      </tfoot>
    </table>
  )
}

/** Spend is dated by budget days, whatever the clock said when they ended. */
function daysOf({ days, from }: StatementLine, timezone: string): string {
  if (days.length === 0) return format.shortDay(from, timezone)
  const [first, last] = [days[0]!, days.at(-1)!].map(day => Date.parse(day) / 1000) as [number, number]
  return format.shortDays(first, last, 'UTC')
}

function detailOf(
  line: StatementLine,
  figures: ReadonlyMap<string, Bucket> | undefined,
  today: string,
): string {
  if (line.kind === 'spend') {
    const shown = figures && shownFor(line, figures, today)
    if (!shown) return ''
    return [t('balance.imps', { count: shown.imps }), t('balance.clicks', { count: shown.clicks })].join(', ')
  }
  const { note, reference } = line
  if (reference === undefined) return note ?? ''
  return note === undefined
    ? t('balance.byReference', { reference })
    : `${note}, ${t('balance.withReference', { reference })}`
}

/** The most that fit on a page. */
const MOST_CAMPAIGNS = 8

interface ByCampaignProps {
  statement: Statement
  /** Names of the campaigns that still exist. */
  names: ReadonlyMap<number, string>
}

export function ByCampaign({ statement, names }: ByCampaignProps) {
  const all = spendByCampaign(statement)
  if (all.length === 0) return null
  const sum = all.reduce((total, { spend }) => total + spend, 0)
  const isLong = all.length > MOST_CAMPAIGNS
  const shown = isLong ? all.slice(0, MOST_CAMPAIGNS - 1) : all
  const rest = isLong ? all.slice(MOST_CAMPAIGNS - 1) : []
  const restSum = rest.reduce((total, { spend }) => total + spend, 0)
  return (
    <table className="by-campaign">
      <caption>{t('balance.byCampaign')}</caption>
      <thead className="visually-hidden">
        <tr>
          <th scope="col">{t('balance.campaign')}</th>
          <th scope="col">{t('balance.share')}</th>
          <th scope="col">{t('balance.spent')}</th>
        </tr>
      </thead>
      <tbody>
        {shown.map(({ cid, spend }) => (
          <Spend
            key={cid}
            name={names.get(cid) ?? t('balance.spendOf', { campaign: String(cid) })}
            {...{ spend, sum }}
          />
        ))}
        {isLong && <Spend name={t('balance.more', { count: rest.length })} spend={restSum} sum={sum} />}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{t('balance.together')}</th>
          <td />
          <td className="r">{format.money(sum)}</td>
        </tr>
      </tfoot>
    </table>
  )
}

function Spend({ name, spend, sum }: { name: string; spend: number; sum: number }) {
  return (
    <tr>
      <td className="any">{name}</td>
      <td className="r q">{sum > 0 ? format.roundPercent(spend / sum) : ''}</td>
      <td className="r">{format.money(spend)}</td>
    </tr>
  )
}
