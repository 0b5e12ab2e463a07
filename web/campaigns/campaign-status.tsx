// The status of a campaign; if it lacks something, what it lacks.

import { StatusBadge } from '../shell/status-badge.tsx'
import { named } from '../words/words.ts'
import type { Campaign } from './data.ts'

type StatusFields = Pick<Campaign, 'status' | 'missing'>

export function statusText({ status, missing }: StatusFields): string {
  return status === 'incomplete' && missing[0] ? named('missing', missing[0]) : named('status', status)
}

export function CampaignStatus({ campaign }: { campaign: StatusFields }) {
  return <StatusBadge status={campaign.status} text={statusText(campaign)} />
}
