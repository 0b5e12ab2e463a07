// The columns of the list of campaigns, and the card that a row becomes on a phone.

import { useMemo } from 'react'
import * as format from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { useMay } from '../session/may.ts'
import { useNotice } from '../shell/notice.tsx'
import { figureColumns } from '../stats/figure-columns.ts'
import { METRICS, type Metric, readMetric, shortName, write } from '../stats/figures.ts'
import type { Column } from '../table/column.ts'
import { OnOff } from '../table/controls.tsx'
import { isoTime } from '../table/csv.ts'
import { onOffColumns } from '../table/on-off.tsx'
import { useRowLinks } from '../table/row-link.tsx'
import { t } from '../words/words.ts'
import { type CampaignRow, type EvenPart, NameCell, TodayCell, todayPx } from './campaign-cells.tsx'
import { canDeliver, statusText } from './campaign-status.tsx'
import { type Campaign, useSwitchCampaigns } from './data.ts'
import type { EditBudget } from './inline-budget.tsx'

/** What the list is sorted by, then results: all of it is seen where a table is narrow. */
const FIRST: readonly Metric[] = ['spend', 'clicks', 'ctr', 'cpa', 'value', 'roas']
const ORDER: readonly Metric[] = [...FIRST, ...METRICS.filter(metric => !FIRST.includes(metric))]

/** Narrow, so that results and their cost are visible together. */
const WIDTHS: Partial<Record<string, number>> = {
  clicks: 78,
  ctr: 80,
  cpa: 116,
  value: 108,
  roas: 78,
  spend: 108,
}
const narrow = (column: Column<CampaignRow>): Column<CampaignRow> => ({
  ...column,
  width: WIDTHS[column.id] ?? column.width,
  ...(column.id === 'roas' && {
    title: shortName('roas'),
    csv: [{ title: column.title, value: column.value }],
  }),
})

const isOver = ({ status }: Campaign) => status === 'ended'

function useSwitchOne(cuid: number) {
  const { mutate } = useSwitchCampaigns(cuid)
  const { refused } = useNotice()
  return useMemo(
    () =>
      ({ cid }: Campaign, enabled: boolean) =>
        mutate({ cids: [cid], enabled }, { onError: refused }),
    [mutate, refused],
  )
}

export function useCampaignColumns(
  cuid: number,
  onBudget: EditBudget,
  even: EvenPart | null,
): Column<CampaignRow>[] {
  const zone = useZone()
  const switchOne = useSwitchOne(cuid)
  const linkTo = useRowLinks()
  const may = useMay()
  return useMemo(
    () => [
      {
        id: 'name',
        title: t('campaigns.name'),
        value: row => row.name,
        cell: row => <NameCell row={row} name={linkTo(`/campaigns/${row.cid}`, row.name)} zone={zone} />,
        csv: [
          { title: t('campaigns.name'), value: row => row.name },
          { title: t('campaigns.status'), value: statusText },
          { title: t('campaigns.start'), value: row => isoTime(row.start) },
          { title: t('campaigns.end'), value: row => isoTime(row.end) },
        ],
        total: rows => t('table.total', { count: rows.length }),
        width: 280,
      },
      ...onOffColumns<CampaignRow>(may, switchOne, isOver),
      {
        id: 'dailySpend',
        title: t('campaigns.budget'),
        value: row => row.dailySpend,
        cell: row => <TodayCell row={row} even={even} onBudget={may.edit ? onBudget : undefined} />,
        total: totalToday,
        largestFirst: true,
        money: true,
        width: 164,
        contentPx: todayPx,
      },
      ...figureColumns<CampaignRow>(ORDER).map(narrow),
    ],
    [switchOne, zone, onBudget, linkTo, may, even],
  )
}

function totalToday(rows: readonly CampaignRow[]): string {
  const budget = rows.filter(canDeliver).reduce((sum, row) => sum + row.dailySpend, 0)
  const spent = rows.reduce((sum, row) => sum + (row.spentToday ?? 0), 0)
  const words = { spent: format.money(spent), budget: format.money(budget) }
  return rows.some(row => row.spentToday !== null) ? t('campaigns.spentOf', words) : words.budget
}

const ON_CARD: readonly Metric[] = ['clicks', 'cpa', 'roas']

export function useCampaignCard(cuid: number, onBudget: EditBudget, even: EvenPart | null) {
  const zone = useZone()
  const switchOne = useSwitchOne(cuid)
  const linkTo = useRowLinks()
  const may = useMay()
  return (row: CampaignRow) => (
    <div>
      <div className="ccard-top">
        <NameCell
          row={row}
          name={linkTo(`/campaigns/${row.cid}`, <span className="card-name">{row.name}</span>)}
          zone={zone}
        />
        {may.pause && (
          <OnOff
            label={t('campaigns.switch', { name: row.name })}
            checked={row.enabled}
            disabled={isOver(row) || !(row.enabled || may.edit)}
            onChange={enabled => switchOne(row, enabled)}
          />
        )}
      </div>
      <TodayCell row={row} even={even} onBudget={may.edit ? onBudget : undefined} />
      <dl>
        {ON_CARD.map(metric => (
          <div key={metric}>
            <dt>{shortName(metric)}</dt>
            <dd>{write(metric, row.figures && readMetric(metric, row.figures))}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
