// The campaigns of one customer, for the staff of its app. A name leads to the campaign, as that customer.

import { Button, Table, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { CampaignStatus } from '../campaigns/campaign-status.tsx'
import { type Campaign, useCampaigns } from '../campaigns/data.ts'
import * as format from '../format/format.ts'
import { useSessionChange } from '../session/session.ts'
import { useNotice } from '../shell/notice.tsx'
import { Panel } from '../shell/panel.tsx'
import { Refused, Waiting } from '../shell/states.tsx'
import { t } from '../words/words.ts'
import type { Customer } from './data.ts'

/** The rest is one click away. */
const SHOWN = 10

export function CustomerCampaigns({ customer, zone }: { customer: Customer; zone: string }) {
  const { cuid, apiAccess } = customer
  const campaigns = useCampaigns(cuid)
  const [all, setAll] = useState(false)
  if (!apiAccess) return null
  const list = newestFirst(campaigns.data ?? [])
  return (
    <Panel title={t('shell.campaigns')} about={t('customers.campaignsAbout')}>
      {campaigns.isPending && <Waiting height={120} />}
      {campaigns.error && <Refused error={campaigns.error} onRetry={() => campaigns.refetch()} />}
      {campaigns.data && list.length === 0 && <Text size="sm">{t('customers.noCampaigns')}</Text>}
      {list.length > 0 && (
        <Table.ScrollContainer minWidth={520} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
          <Table aria-label={t('shell.campaigns')}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('campaigns.name')}</Table.Th>
                <Table.Th>{t('campaigns.status')}</Table.Th>
                <Table.Th>{t('campaigns.dates')}</Table.Th>
                <Table.Th ta="end">{t('campaigns.budget')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {list.slice(0, all ? list.length : SHOWN).map(campaign => (
                <Row key={campaign.cid} campaign={campaign} cuid={cuid} zone={zone} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
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

function Row({ campaign, cuid, zone }: { campaign: Campaign; cuid: number; zone: string }) {
  const { cid, name, start, end, dailySpend } = campaign
  const navigate = useNavigate()
  const notice = useNotice()
  const opening = useSessionChange((who: number) => api.openCustomer({ body: { cuid: who } }))
  const open = () =>
    opening.mutate(cuid, {
      onSuccess: () => navigate({ to: '/campaigns/$cid', params: { cid } }),
      onError: notice.refused,
    })
  return (
    <Table.Tr>
      <Table.Td>
        <button type="button" className="strong-link" onClick={open}>
          {name}
        </button>
      </Table.Td>
      <Table.Td>
        <CampaignStatus campaign={campaign} />
      </Table.Td>
      <Table.Td>{format.rowDays(start, end, zone)}</Table.Td>
      <Table.Td ta="end">{format.money(dailySpend)}</Table.Td>
    </Table.Tr>
  )
}
