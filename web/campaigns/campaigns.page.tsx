// All campaigns of the customer with their figures for the period.

import { Button, Group } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { BalanceLine } from '../balance/balance-line.tsx'
import * as format from '../format/format.ts'
import { PeriodPicker } from '../period/period-picker.tsx'
import { usePeriod, useZone } from '../period/use-period.ts'
import { useMay } from '../session/may.ts'
import { useCuid } from '../session/session.ts'
import { Icon } from '../shell/icon.tsx'
import { useNotice } from '../shell/notice.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { Nothing, Refused, Waiting } from '../shell/states.tsx'
import { figureColumns, useChildFigures, type WithFigures } from '../stats/figure-columns.ts'
import type { Column } from '../table/column.ts'
import { isoTime } from '../table/csv.ts'
import { ListPanel } from '../table/list-panel.tsx'
import { OnOffButtons, onOffColumns } from '../table/on-off.tsx'
import { useRowLinks } from '../table/row-link.tsx'
import { t } from '../words/words.ts'
import { BulkEdit } from './bulk-edit.tsx'
import { CampaignStatus, statusText } from './campaign-status.tsx'
import { type Campaign, useCampaigns, useSwitchCampaigns } from './data.ts'
import { BudgetButton, type EditBudget, useBudgetEditor } from './inline-budget.tsx'
import { NewCampaignButton } from './new-campaign-button.tsx'

interface Row extends Campaign, WithFigures {}
const idOf = (row: Row) => row.cid
const nameOf = (row: Row) => row.name
const textOf = (row: Row) => `${row.name} ${statusText(row)}`
const statusOf = (row: Row) => row.status
const CANNOT_RUN: readonly Campaign['status'][] = ['ended', 'paused', 'frozen', 'incomplete']
const spendOf = (row: Row) => row.figures?.spend ?? null

export function CampaignsPage() {
  const cuid = useCuid()
  const may = useMay()
  const period = usePeriod()
  const campaigns = useCampaigns(cuid)
  const listed = useMemo(() => campaigns.data?.map(({ cid }) => cid), [campaigns.data])
  const { figuresOf, rest, query: figures } = useChildFigures(cuid, 'campaign', listed)
  const budget = useBudgetEditor()
  const columns = useColumns(cuid, budget.edit)
  const rows = useMemo(
    () => (campaigns.data ?? []).map(campaign => ({ ...campaign, figures: figuresOf(campaign.cid) })),
    [campaigns.data, figuresOf],
  )
  return (
    <>
      <PageHead title={t('campaigns.title')}>
        <Button component={Link} to="/bin" variant="default" leftSection={<Icon name="trash" size={16} />}>
          {t('bin.title')}
        </Button>
        <PeriodPicker />
        <NewCampaignButton />
      </PageHead>
      <BalanceLine cuid={cuid} />
      {figures.error && !figures.data && <Refused error={figures.error} />}
      {campaigns.isPending && <Waiting height={300} />}
      {campaigns.error && <Refused error={campaigns.error} onRetry={() => campaigns.refetch()} />}
      {campaigns.data && (
        <ListPanel
          id="campaigns"
          label={t('campaigns.title')}
          rows={rows}
          rest={rest}
          columns={columns}
          idOf={idOf}
          nameOf={nameOf}
          textOf={textOf}
          statusOf={statusOf}
          spendOf={spendOf}
          period={period}
          sorting={{ column: 'spend', descending: true }}
          fileName={t('campaigns.file')}
          totals
          bulk={may.pause ? (chosen, done) => <Bulk cuid={cuid} chosen={chosen} onDone={done} /> : undefined}
          empty={
            <Nothing icon="campaigns" title={t('campaigns.none')} about={t('campaigns.noneAbout')}>
              {may.edit && (
                <Button component={Link} to="/create" mt="sm">
                  {t('campaigns.new')}
                </Button>
              )}
            </Nothing>
          }
        />
      )}
      {budget.editor}
    </>
  )
}

function useColumns(cuid: number, onBudget: EditBudget): Column<Row>[] {
  const timezone = useZone()
  const switching = useSwitchCampaigns(cuid)
  const notice = useNotice()
  const { mutate } = switching
  const linkTo = useRowLinks()
  const may = useMay()
  return useMemo(
    () => [
      {
        id: 'name',
        title: t('campaigns.name'),
        value: row => row.name,
        cell: row => linkTo(`/campaigns/${row.cid}`, row.name),
        total: rows => t('table.total', { count: rows.length }),
        width: 230,
      },
      ...onOffColumns<Row>(
        may,
        ({ cid }, enabled) => mutate({ cids: [cid], enabled }, { onError: notice.refused }),
        row => row.status === 'ended',
      ),
      {
        id: 'status',
        title: t('campaigns.status'),
        value: statusText,
        cell: row => <CampaignStatus campaign={row} />,
        width: 150,
      },
      {
        id: 'dailySpend',
        title: t('campaigns.budget'),
        value: row => row.dailySpend,
        cell: row =>
          may.edit ? <BudgetButton campaign={row} onEdit={onBudget} /> : format.money(row.dailySpend),
        // Of what can run: nobody pays for the others.
        total: rows =>
          format.money(
            rows
              .filter(row => !CANNOT_RUN.includes(row.status))
              .reduce((sum, row) => sum + row.dailySpend, 0),
          ),
        numeric: true,
        money: true,
        width: 130,
      },
      ...figureColumns<Row>(),
      {
        id: 'dates',
        title: t('campaigns.dates'),
        value: row => row.start,
        csv: [
          { title: t('campaigns.start'), value: row => isoTime(row.start) },
          { title: t('campaigns.end'), value: row => isoTime(row.end) },
        ],
        cell: row => <span className="faint">{format.rowDays(row.start, row.end, timezone)}</span>,
        width: 190,
      },
    ],
    [mutate, notice.refused, timezone, onBudget, linkTo, may],
  )
}

function Bulk({ cuid, chosen, onDone }: { cuid: number; chosen: readonly Row[]; onDone: () => void }) {
  const switching = useSwitchCampaigns(cuid)
  const [editing, setEditing] = useState(false)
  const may = useMay()
  const notice = useNotice()
  const to = (enabled: boolean) =>
    switching.mutate(
      { cids: chosen.map(idOf), enabled },
      {
        onSuccess: count => {
          if (count > 0) notice.done(t(enabled ? 'campaigns.resumed' : 'campaigns.paused', { count }))
          onDone()
        },
        onError: notice.refused,
      },
    )
  return (
    <Group gap="xs">
      <OnOffButtons pending={switching.isPending} onSwitch={to} />
      {may.edit && (
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="edit" size={14} />}
          onClick={() => setEditing(true)}
        >
          {t('bulk.edit')}
        </Button>
      )}
      {editing && <BulkEdit cuid={cuid} chosen={chosen} onDone={onDone} onClose={() => setEditing(false)} />}
    </Group>
  )
}
