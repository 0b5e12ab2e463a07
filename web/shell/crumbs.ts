// The breadcrumbs of a page: the campaign and persona it belongs to, as soon as their names are known.

import { useCampaign } from '../campaigns/data.ts'
import { usePersona } from '../personas/data.ts'
import { t } from '../words/words.ts'
import type { Crumb } from './page-head.tsx'

export function useCampaignCrumbs(cuid: number, cid: number, tab?: string): Crumb[] {
  const campaign = useCampaign(cuid, cid)
  return [
    { name: t('campaigns.title'), to: '/campaigns' },
    { name: campaign.data?.name ?? '…', to: `/campaigns/${cid}`, tab },
  ]
}

export function usePersonaCrumbs(cuid: number, cid: number, pid: number): Crumb[] {
  const above = useCampaignCrumbs(cuid, cid)
  const persona = usePersona(cuid, cid, pid)
  return [...above, { name: persona.data?.name ?? '…', to: `/campaigns/${cid}/personas/${pid}` }]
}
