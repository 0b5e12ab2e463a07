// The status of a campaign; if it lacks something, what it lacks; if a budget is spent, which; outside its hours, when
// they begin.

import { dateTime } from '../format/format.ts'
import { useSession } from '../session/session.ts'
import { StatusBadge } from '../shell/status-badge.tsx'
import { named, t } from '../words/words.ts'
import type { Campaign } from './data.ts'

type StatusFields = Pick<Campaign, 'status' | 'spentBy' | 'missing' | 'resumes'>

export function statusText({ status, spentBy, missing }: StatusFields): string {
  if (status === 'spent' && spentBy) return named('spentBy', spentBy)
  return status === 'incomplete' && missing[0] ? named('missing', missing[0]) : named('status', status)
}

export function CampaignStatus({ campaign }: { campaign: StatusFields }) {
  const { timezone } = useSession()
  const { status, resumes } = campaign
  const text = statusText(campaign)
  const time = resumes === null ? null : dateTime(resumes, timezone)
  return <StatusBadge status={status} text={time ? t('campaigns.resumes', { status: text, time }) : text} />
}
