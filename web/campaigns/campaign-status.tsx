// The status of a campaign; if it lacks something, what it lacks; if a budget is spent, which.

import { StatusBadge } from '../shell/status-badge.tsx'
import { named } from '../words/words.ts'
import type { Campaign } from './data.ts'

type StatusFields = Pick<Campaign, 'status' | 'spentBy' | 'missing'>

export function statusText({ status, spentBy, missing }: StatusFields): string {
  if (status === 'spent' && spentBy) return named('spentBy', spentBy)
  return status === 'incomplete' && missing[0] ? named('missing', missing[0]) : named('status', status)
}

export function CampaignStatus({ campaign }: { campaign: StatusFields }) {
  return <StatusBadge status={campaign.status} text={statusText(campaign)} />
}
