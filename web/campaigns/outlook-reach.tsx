// How many of the last day's requests the audience fits, asked again shortly after each change.

import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Reach } from '../../src/diagnose/reach/contract.ts'
import { api } from '../api/client.ts'
import type { BannerDrafts } from '../banners/uploads.tsx'
import { integer, money, roundMoney, roundPercent } from '../format/format.ts'
import { type PersonaDraft, personaBodyOf } from '../personas/draft.ts'
import { t } from '../words/words.ts'
import { amountOf } from './budget-draft.ts'
import type { CampaignDraft } from './draft.ts'
import { MissingSize, missingIn } from './missing-sizes.tsx'
import { Card } from './outlook-card.tsx'

export interface ReachProps {
  cuid: number
  campaign: CampaignDraft
  /** The price of a campaign without one. */
  usual: number
  persona: PersonaDraft
  banners: BannerDrafts
  /** Puts another price into the form. */
  onPrice: (cpm: number) => void
  /** What wins for this audience. */
  onWinning: (winning: Reach['winning']) => void
}

const WAIT_MS = 400

export function ReachCard({ cuid, campaign, persona, banners, onPrice, onWinning, usual }: ReachProps) {
  const cpm = campaign.pricing === 'cpm' ? (amountOf(campaign.cpm) ?? usual) : null
  const { geo, cat, device, demo } = personaBodyOf(persona)
  const sizes = banners.list.flatMap(({ upload }) => (upload ? [`${upload.width}x${upload.height}`] : []))
  const body = { geo, cat, device, demo, hours: campaign.hours, sizes: [...new Set(sizes)], cpm }
  const isAsked = persona.geoForm === 'radius' || persona.geos.length > 0
  // What cannot be asked yet is not asked in the meantime either.
  const [key] = useDebouncedValue(isAsked ? JSON.stringify(body) : null, WAIT_MS)
  const { data: reach, isError } = useQuery({
    queryKey: ['reach', cuid, key],
    queryFn: () => api.estimateReach({ cuid, body: JSON.parse(key!) as typeof body }),
    enabled: isAsked && key !== null,
    placeholderData: keepPreviousData,
    retry: false,
  })
  const winning = reach?.winning
  useEffect(() => {
    if (winning !== undefined) onWinning(winning)
  }, [winning, onWinning])
  if (!isAsked) return <Hint words={t('reach.noPlace')} />
  if (isError) return <Hint words={t('reach.unclear')} />
  if (!reach) return <Hint words={t('reach.asking')} />
  if (reach.requests === 0) return <Hint words={t('reach.noRequests')} />
  const { requests, fits, affordable, floors } = reach
  const missing = sizes.length > 0 ? missingIn(reach) : []
  const part = Math.min(1, fits / requests)
  const daily = amountOf(campaign.dailySpend)
  const worth = cpm === null ? null : (affordable * cpm) / 1000
  return (
    <Card name={t('reach.of', { requests: integer(requests), count: requests })}>
      <p className="reach-line">
        <span>
          <strong className="outlook-figure">{integer(fits)}</strong> {t('reach.fit', { count: fits })}
        </span>
        <span className="outlook-how">{roundPercent(part)}</span>
      </p>
      <span className="meter" aria-hidden>
        <span style={{ width: `${part * 100}%` }} />
      </span>
      {floors && cpm !== null && affordable < fits && (
        <p className="outlook-hint">
          {t('reach.tooCheap', {
            count: fits - affordable,
            requests: integer(fits - affordable),
            cpm: money(cpm),
          })}
        </p>
      )}
      {floors && floors.high > 0 && (
        <p className="outlook-hint">
          {t('reach.floors', { low: money(floors.low), high: money(floors.high) })}
        </p>
      )}
      {fits > 0 && worth !== null && daily !== null && (
        <p className="outlook-hint">
          {t(worth < daily ? 'reach.notAll' : 'reach.all', { worth: roundMoney(worth) })}
        </p>
      )}
      <Proposal {...{ reach, cpm, onPrice }} />
      {missing.map(one => (
        <p key={one.size} className="outlook-hint">
          <MissingSize {...one} />
        </p>
      ))}
      {sizes.length === 0 && reach.sizes.length > 0 && (
        <p className="outlook-hint">{t('reach.asked', { sizes: mostAsked(reach.sizes) })}</p>
      )}
      {fits === 0 && <p className="outlook-hint">{t('reach.none')}</p>}
    </Card>
  )
}

interface ProposalProps extends Pick<ReachProps, 'onPrice'> {
  reach: Reach
  cpm: number | null
}

/** What wins nearly all of these requests; where nothing is known of winning, what can bid for more of them. */
function Proposal({ reach: { winning, better, fits }, cpm, onPrice }: ProposalProps) {
  const isLow = winning && cpm !== null && cpm < winning.most
  const proposed = winning ? (isLow ? winning.most : null) : (better?.cpm ?? null)
  if (proposed === null) return null
  return (
    <p className="outlook-hint">
      {winning
        ? t('reach.winning', { half: money(winning.half), most: money(winning.most) })
        : t('reach.better', { cpm: money(proposed), share: roundPercent(better!.affordable / fits) })}{' '}
      <button type="button" className="link outlook-try" onClick={() => onPrice(proposed)}>
        {t('reach.try', { cpm: money(proposed) })}
      </button>
    </p>
  )
}

const MOST_NAMED = 3

const mostAsked = (sizes: Reach['sizes']) =>
  sizes
    .slice(0, MOST_NAMED)
    .map(({ size }) => size.replace('x', ' × '))
    .join(', ')

function Hint({ words }: { words: string }) {
  return (
    <Card name={t('reach.title')}>
      <p className="outlook-hint">{words}</p>
    </Card>
  )
}
