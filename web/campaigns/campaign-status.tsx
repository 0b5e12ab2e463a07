// The status of a campaign; if it lacks something, what it lacks; if a budget is spent, which; outside its hours, when
// they begin.

import { dateTime } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { StatusBadge } from '../shell/status-badge.tsx'
import { named, t } from '../words/words.ts'
import type { Campaign } from './data.ts'

type StatusFields = Pick<Campaign, 'status' | 'spentBy' | 'missing' | 'resumes'>

export function statusText({ status, spentBy, missing }: StatusFields): string {
  if (status === 'spent' && spentBy) return named('spentBy', spentBy)
  return status === 'incomplete' && missing[0] ? named('missing', missing[0]) : named('status', status)
}

/** Where there is room: outside its hours, with the time when they begin. */
export function LongCampaignStatus({ campaign }: { campaign: StatusFields }) {
  const timezone = useZone()
  const { status, resumes } = campaign
  if (resumes === null) return <CampaignStatus campaign={campaign} />
  const words = { status: statusText(campaign), time: dateTime(resumes, timezone) }
  return <StatusBadge status={status} text={t('campaigns.resumes', words)} />
}

export function CampaignStatus({ campaign }: { campaign: StatusFields }) {
  return <StatusBadge status={campaign.status} text={statusText(campaign)} />
}
