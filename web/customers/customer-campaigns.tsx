// The campaigns of one customer, for the staff of its app. A name opens the campaign, acting as that customer.

import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import { CampaignStatus } from '../campaigns/campaign-status.tsx'
import { type Campaign, useCampaigns } from '../campaigns/data.ts'
import * as format from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { Panel } from '../shell/panel.tsx'
import { Refused, Waiting } from '../shell/states.tsx'
import { type SmallColumn, SmallTable } from '../table/small-table.tsx'
import { t } from '../words/words.ts'
import { type Customer, useActAs } from './data.ts'

/** The rest is one click away. */
const SHOWN = 10

export function CustomerCampaigns({ customer: { cuid } }: { customer: Customer }) {
  const zone = useZone()
  const campaigns = useCampaigns(cuid)
  const [all, setAll] = useState(false)
  const list = newestFirst(campaigns.data ?? [])
  return (
    <Panel title={t('shell.campaigns')} about={t('customers.campaignsAbout')}>
      {campaigns.isPending && <Waiting height={120} />}
      {campaigns.error && <Refused error={campaigns.error} onRetry={() => campaigns.refetch()} />}
      {campaigns.data && list.length === 0 && <Text size="sm">{t('customers.noCampaigns')}</Text>}
      {list.length > 0 && (
        <SmallTable
          label={t('shell.campaigns')}
          columns={columnsOf(cuid, zone)}
          rows={list.slice(0, all ? list.length : SHOWN)}
          idOf={({ cid }) => cid}
          leastPx={520}
        />
      )}
      {list.length > SHOWN && (
        <Button variant="subtle" size="compact-sm" mt="sm" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? t('customers.fewerCampaigns') : t('customers.allCampaigns', { count: list.length })}
        </Button>
      )}
    </Panel>
  )
}

const newestFirst = (campaigns: readonly Campaign[]) => [...campaigns].sort((a, b) => b.cid - a.cid)

const columnsOf = (cuid: number, zone: string): SmallColumn<Campaign>[] => [
  { title: t('campaigns.name'), cell: campaign => <Name campaign={campaign} cuid={cuid} /> },
  { title: t('campaigns.status'), cell: campaign => <CampaignStatus campaign={campaign} /> },
  { title: t('campaigns.dates'), cell: ({ start, end }) => format.rowDays(start, end, zone) },
  { title: t('campaigns.budget'), cell: ({ dailySpend }) => format.money(dailySpend), numeric: true },
]

function Name({ campaign: { cid, name }, cuid }: { campaign: Campaign; cuid: number }) {
  const actAs = useActAs(cuid)
  return (
    <button type="button" className="strong-link" onClick={() => actAs.go({ to: `/campaigns/${cid}` })}>
      {name}
    </button>
  )
}
