// The customers of the cockpit as a file: all that match, not only those on the screen.

import { nowMs } from '../sandbox/clock.ts'
import type { Column } from '../table/column.ts'
import { csvName, csvOf, saveFile } from '../table/csv.ts'
import { t } from '../words/words.ts'
import { type Asked, type CockpitCustomer, clickRate, everyCustomer } from './data.ts'
import { healthSentence } from './health-words.ts'

const money = (title: string, value: (row: CockpitCustomer) => number | null): Column<CockpitCustomer> => ({
  id: title,
  title,
  value,
  money: true,
  width: 0,
})

function columns(zone: string): Column<CockpitCustomer>[] {
  const nowS = nowMs() / 1000
  const plain = (title: string, value: Column<CockpitCustomer>['value']) => ({
    id: title,
    title,
    value,
    width: 0,
  })
  return [
    plain(t('cockpit.customer'), row => row.company),
    plain(t('customers.email'), row => row.email),
    plain(t('cockpit.state'), row => t(`level.${row.health.level}`)),
    plain(t('cockpit.health'), row => healthSentence(row.health, nowS, zone)),
    money(t('cockpit.today'), row => row.spendToday),
    money(t('cockpit.budgetToday'), row => row.budgetToday),
    money(t('cockpit.spend'), row => row.spend),
    plain(t('metric.imps'), row => row.imps),
    plain(t('metric.clicks'), row => row.clicks),
    plain(t('metric.ctr'), row => clickRate(row)),
    money(t('cockpit.balance'), row => row.balance),
    plain(t('cockpit.filter.banners'), row => row.banners),
    plain(t('cockpit.filter.proposals'), row => row.proposals),
  ]
}

export async function saveCsv(asked: Asked, zone: string): Promise<void> {
  const csv = csvOf({
    rows: await everyCustomer(asked),
    columns: columns(zone),
    idOf: row => row.cuid,
    rest: [],
  })
  saveFile(csvName(t('customers.file'), undefined), 'text/csv;charset=utf-8', csv)
}
