// All campaigns of the customer with today's money and their figures for the period.

import { Anchor, Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useMemo } from 'react'
import { BalanceLine } from '../balance/balance-line.tsx'
import { partOver } from '../overview/even-day.ts'
import { PeriodPicker } from '../period/period-picker.tsx'
import { usePeriod, useZone } from '../period/use-period.ts'
import { useMay } from '../session/may.ts'
import { useCuid } from '../session/session.ts'
import { Icon } from '../shell/icon.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { Refused, Waiting } from '../shell/states.tsx'
import { useChildFigures } from '../stats/figure-columns.ts'
import { ListPanel } from '../table/list-panel.tsx'
import type { Segment } from '../table/segments.tsx'
import { named, t } from '../words/words.ts'
import { BulkBar } from './bulk-bar.tsx'
import type { CampaignRow, EvenPart } from './campaign-cells.tsx'
import { useCampaignCard, useCampaignColumns } from './campaign-columns.tsx'
import { canDeliver, statusText } from './campaign-status.tsx'
import { useCampaigns } from './data.ts'
import { useBudgetEditor } from './inline-budget.tsx'
import { NewCampaignButton } from './new-campaign-button.tsx'

const NoCampaigns = lazy(async () => ({ default: (await import('../empty/no-campaigns.tsx')).NoCampaigns }))
const idOf = (row: CampaignRow) => row.cid
const nameOf = (row: CampaignRow) => row.name
const textOf = (row: CampaignRow) => `${row.name} ${statusText(row)}`
const statusOf = (row: CampaignRow) => row.status
const spendOf = (row: CampaignRow) => row.figures?.spend ?? null

export function CampaignsPage() {
  const cuid = useCuid()
  const may = useMay()
  const period = usePeriod()
  const campaigns = useCampaigns(cuid)
  const listed = useMemo(() => campaigns.data?.map(({ cid }) => cid), [campaigns.data])
  const { figuresOf, rest, query: figures } = useChildFigures(cuid, 'campaign', listed, true)
  const budget = useBudgetEditor()
  const even = useEven(figures.data?.asOf)
  const columns = useCampaignColumns(cuid, budget.edit, even)
  const card = useCampaignCard(cuid, budget.edit, even)
  const segments = useSegments()
  const today = figures.data?.today
  const rows = useMemo(() => {
    const spent = new Map(today?.campaigns.map(({ cid, spend }) => [cid, spend]))
    return (campaigns.data ?? []).map(campaign => ({
      ...campaign,
      figures: figuresOf(campaign.cid),
      spentToday: today ? (spent.get(campaign.cid) ?? 0) : null,
    }))
  }, [campaigns.data, figuresOf, today])
  const isEmpty = campaigns.data?.length === 0 && rest.length === 0
  return (
    <>
      <PageHead title={t('campaigns.title')}>
        {isEmpty && (
          <Button component={Link} to="/bin" variant="default" leftSection={<Icon name="trash" size={16} />}>
            {t('bin.title')}
          </Button>
        )}
        {!isEmpty && <PeriodPicker />}
        {!isEmpty && <NewCampaignButton />}
      </PageHead>
      <BalanceLine cuid={cuid} />
      {figures.error && !figures.data && <Refused error={figures.error} />}
      {campaigns.isPending && <Waiting height={300} />}
      {campaigns.error && <Refused error={campaigns.error} onRetry={() => campaigns.refetch()} />}
      {isEmpty && (
        <Suspense>
          <NoCampaigns />
        </Suspense>
      )}
      {campaigns.data && !isEmpty && (
        <ListPanel
          id="campaigns"
          label={t('campaigns.title')}
          rows={rows}
          rest={rest}
          columns={columns}
          idOf={idOf}
          nameOf={nameOf}
          textOf={textOf}
          segments={segments}
          statusOf={statusOf}
          spendOf={spendOf}
          period={period}
          sorting={{ column: 'spend', descending: true }}
          fileName={t('campaigns.file')}
          totals
          isTall
          hasBar
          card={card}
          bulk={
            may.pause ? (chosen, done) => <BulkBar cuid={cuid} chosen={chosen} onDone={done} /> : undefined
          }
          foot={<Foot />}
          empty={null}
        />
      )}
      {budget.editor}
    </>
  )
}

/** Their words are in the language of the page. */
function useSegments(): Segment<CampaignRow>[] {
  return useMemo(
    () => [
      { id: 'all', word: t('campaigns.all') },
      { id: 'can', word: t('campaigns.canDeliver'), has: canDeliver },
      { id: 'ended', word: named('status', 'ended'), has: ({ status }) => status === 'ended' },
    ],
    [],
  )
}

function Foot() {
  const may = useMay()
  return (
    <p className="list-foot">
      {may.pause && <span className="desk">{t('table.range')}</span>} {t('campaigns.binAbout')}{' '}
      <Anchor component={Link} to="/bin" size="xs" c="var(--ink)" underline="always">
        {t('campaigns.bin')}
      </Anchor>
    </p>
  )
}

const FEW_MINUTES_S = 300

/** The part of a campaign's day that is over, to some minutes so that rows are not redrawn for less. */
function useEven(asOf: number | undefined): EvenPart | null {
  const zone = useZone()
  const nowS = asOf === undefined ? null : Math.ceil(asOf / FEW_MINUTES_S) * FEW_MINUTES_S
  return useMemo(() => (nowS === null ? null : row => partOver(nowS, zone, row)), [nowS, zone])
}
