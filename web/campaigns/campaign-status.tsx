// The status of a campaign, with what it lacks, which budget is spent, or when its hours begin.

import { dateTime, shortDay } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { StatusBadge } from '../shell/status-badge.tsx'
import { named, t } from '../words/words.ts'
import type { Campaign } from './data.ts'

type StatusFields = Pick<Campaign, 'status' | 'spentBy' | 'missing' | 'resumes'>

export function statusText({ status, spentBy, missing }: StatusFields): string {
  if (status === 'spent' && spentBy) return named('spentBy', spentBy)
  return status === 'incomplete' && missing[0] ? named('missing', missing[0]) : named('status', status)
}

/**
 * Whether a campaign can deliver today or tomorrow without any action. Sums of budgets include only these campaigns:
 * the others cost nothing.
 */
export const canDeliver = ({ status, spentBy }: Pick<Campaign, 'status' | 'spentBy'>) =>
  status === 'running' || status === 'off_hours' || (status === 'spent' && spentBy === 'day')

/** The longer form: with the time when its hours begin, or the day until which it runs. */
export function LongCampaignStatus({ campaign }: { campaign: StatusFields & Pick<Campaign, 'end'> }) {
  const timezone = useZone()
  const { status, resumes, end } = campaign
  if (status === 'running') {
    const words = { status: statusText(campaign), time: shortDay(end - 1, timezone) }
    return <StatusBadge status={status} text={t('campaigns.resumes', words)} />
  }
  if (resumes === null) return <CampaignStatus campaign={campaign} />
  const words = { status: statusText(campaign), time: dateTime(resumes, timezone) }
  return <StatusBadge status={status} text={t('campaigns.resumes', words)} />
}

export function CampaignStatus({ campaign }: { campaign: StatusFields }) {
  return <StatusBadge status={campaign.status} text={statusText(campaign)} />
}
