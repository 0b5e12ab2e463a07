// The best banners of the period as pictures, each with its campaign and what it brought.

import './best-banners.css'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { api, imageUrl } from '../api/client.ts'
import type { Banner } from '../banners/data.ts'
import type { Campaign } from '../campaigns/data.ts'
import { percent, times } from '../format/format.ts'
import { Icon } from '../shell/icon.tsx'
import { type Figures, readMetric } from '../stats/figures.ts'
import type { PageFigures } from '../stats/use-figures.ts'
import { t } from '../words/words.ts'
import { bestOf } from './best.ts'

interface BestBannersProps {
  cuid: number
  figures: PageFigures
  campaigns: readonly Campaign[]
}

/** Renders nothing until a banner has been shown often enough. */
export function BestBanners({ cuid, figures, campaigns }: BestBannersProps) {
  const isWorth = figures.summary.value > 0
  const rows = figures.breakdown ?? []
  const best = useMemo(() => bestOf(figures.breakdown ?? [], isWorth), [figures.breakdown, isWorth])
  const bids = best.map(({ id }) => id).toSorted((a, b) => a - b)
  const { data: banners } = useQuery({
    queryKey: ['best-banners', cuid, bids],
    queryFn: () => api.listAllBanners({ cuid, bids: bids.join(',') }),
    enabled: bids.length > 0,
    placeholderData: before => before,
  })
  if (best.length === 0 || !banners) return null
  const byId = new Map(banners.map(banner => [banner.bid, banner]))
  const names = new Map(campaigns.map(({ cid, name }) => [cid, name]))
  return (
    <section className="best-banners" aria-labelledby="best-banners">
      <div className="best-head">
        <h2 id="best-banners">{t('overview.best')}</h2>
        <span className="s q">{t(isWorth ? 'overview.bestByReturn' : 'overview.bestByClicks')}</span>
        {rows.length > best.length && (
          <Link to="/statistics" search={{ dimension: 'banner' } as never} className="link s">
            {t('overview.allBanners', { count: rows.length })}
          </Link>
        )}
      </div>
      <ul>
        {best.map(row => {
          const banner = byId.get(row.id)
          if (!banner) return null
          const campaign = names.get(banner.cid) ?? ''
          return <Best key={row.id} banner={banner} figures={row} isWorth={isWorth} campaign={campaign} />
        })}
      </ul>
    </section>
  )
}

interface BestProps {
  banner: Banner
  figures: Figures
  isWorth: boolean
  /** The name of the campaign. */
  campaign: string
}

function Best({ banner: { cid, pid, bid, name, creativeURL }, figures, isWorth, campaign }: BestProps) {
  return (
    <li>
      <span className="best-picture">
        {creativeURL.startsWith('/') ? (
          <img src={imageUrl(creativeURL)} alt="" loading="lazy" />
        ) : (
          <Icon name="image" size={22} />
        )}
      </span>
      <span className="best-words">
        <Link
          to="/campaigns/$cid/personas/$pid/banners/$bid"
          params={{ cid, pid, bid }}
          className="strong-link"
        >
          {name}
        </Link>
        <span className="s q trunc">{campaign}</span>
        {isWorth && (
          <span className="s">
            <b>{times(readMetric('roas', figures) ?? 0)}</b> {t('overview.back')}
          </span>
        )}
        <span className="s">
          <b>{percent(figures.ctr)}</b> {t('overview.clicked')}
        </span>
      </span>
    </li>
  )
}
