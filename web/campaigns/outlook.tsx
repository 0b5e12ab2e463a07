// The outlook of a new campaign, beside its form and always in sight.

import './outlook.css'
import type { BannerDrafts } from '../banners/uploads.tsx'
import { shortTime } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import type { PersonaDraft } from '../personas/draft.ts'
import { nowMs } from '../sandbox/clock.ts'
import { Icon, type IconName } from '../shell/icon.tsx'
import { t } from '../words/words.ts'
import type { CampaignDraft } from './draft.ts'
import { useMostCost } from './most-cost-text.tsx'
import { InItsPlace } from './outlook-banner.tsx'
import { Card } from './outlook-card.tsx'
import { ReachCard, type ReachProps } from './outlook-reach.tsx'

interface OutlookProps {
  cuid: number
  campaign: CampaignDraft
  persona: PersonaDraft
  banners: BannerDrafts
  usual: number
  onPrice: (cpm: number) => void
  onWinning: ReachProps['onWinning']
}

export function Outlook({ cuid, campaign, persona, banners, usual, onPrice, onWinning }: OutlookProps) {
  return (
    <aside className="outlook" aria-label={t('outlook.title')}>
      <InItsPlace list={banners.list} />
      <Most draft={campaign} />
      <ReachCard {...{ cuid, campaign, persona, banners, usual, onPrice, onWinning }} />
      <Next campaign={campaign} />
    </aside>
  )
}

function Most({ draft }: { draft: CampaignDraft }) {
  const most = useMostCost(draft)
  return (
    <Card name={t('outlook.most')}>
      {most === null ? (
        <p className="outlook-hint">{t('outlook.mostUnknown')}</p>
      ) : (
        <p>
          {most.by === 'days' && <span className="outlook-how">{t('outlook.mostHow', { ...most })} </span>}
          <strong className="outlook-figure">{most.amount}</strong>
        </p>
      )}
      <p className="outlook-hint">{t('outlook.never')}</p>
    </Card>
  )
}

/** Promises only what happens by itself. */
function Next({ campaign: { start, end } }: { campaign: CampaignDraft }) {
  const zone = useZone()
  const steps: [IconName, string][] = [['check', t('outlook.checked')]]
  if (start !== null && end !== null && start < end)
    steps.push([
      'clock',
      start * 1000 <= nowMs()
        ? t('outlook.startsNow', { end: shortTime(end, zone) })
        : t('outlook.starts', { start: shortTime(start, zone), end: shortTime(end, zone) }),
    ])
  steps.push(['bell', t('outlook.issues')])
  return (
    <Card name={t('outlook.next')}>
      <ul className="outlook-steps">
        {steps.map(([icon, words]) => (
          <li key={icon}>
            <Icon name={icon} />
            <span>{words}</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
