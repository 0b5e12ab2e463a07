// The banners of a campaign as pictures with their figures. Those of one persona and size are grouped, with a verdict;
// the leader has a rim and a label.

import './gallery.css'
import './banners.css'
import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Fragment, useState } from 'react'
import { imageUrl } from '../api/client.ts'
import { decimal } from '../format/format.ts'
import { Icon } from '../shell/icon.tsx'
import { StatusBadge } from '../shell/status-badge.tsx'
import { type Metric, readMetric, shortName, write } from '../stats/figures.ts'
import { t } from '../words/words.ts'
import { Review } from './banner-table.tsx'
import { type Banner, sizeOf } from './data.ts'
import { type Group, leaderOf, type Rated } from './groups.ts'
import { rateOf } from './verdict.ts'
import { VerdictLine } from './verdict-line.tsx'

interface GalleryProps {
  cuid: number
  groups: readonly Group[]
  /** Whether conversions have values. */
  isWorth: boolean
  /** The name of a persona, if there are several. */
  nameOf: (pid: number) => string | null
}

/** The reader has to ask for more, because each is a picture. */
const AT_FIRST = 24

export function Gallery({ cuid, groups, isWorth, nameOf }: GalleryProps) {
  const [isWhole, setWhole] = useState(false)
  const count = groups.reduce((sum, { banners }) => sum + banners.length, 0)
  const metrics: Metric[] = ['ctr', 'cpa', isWorth ? 'roas' : 'clicks', 'imps']
  let left = isWhole ? count : AT_FIRST
  return (
    <>
      {[...new Set(groups.map(({ pid }) => pid))].map(pid => {
        const ofPersona = groups.filter(group => group.pid === pid)
        const shots = ofPersona.flatMap(group => group.banners.map(one => ({ one, group }))).slice(0, left)
        left -= shots.length
        if (shots.length === 0) return null
        const persona = nameOf(pid)
        const compared = ofPersona.filter(({ verdict }) => verdict !== null)
        return (
          <Fragment key={pid}>
            {persona && <h3 className="gallery-head">{persona}</h3>}
            {compared.map(group => (
              <VerdictLine
                key={group.size}
                cuid={cuid}
                verdict={group.verdict!}
                by={group.by}
                count={group.compared}
              />
            ))}
            <div className="gallery">
              {shots.map(({ one, group }) => (
                <Shot
                  key={one.banner.bid}
                  one={one}
                  group={group}
                  metrics={metrics}
                  isAlone={compared.length > 0 && group.banners.length === 1}
                />
              ))}
            </div>
          </Fragment>
        )
      })}
      {count > AT_FIRST && !isWhole && (
        <Button variant="default" mb="md" onClick={() => setWhole(true)}>
          {t('banners.all', { count })}
        </Button>
      )}
    </>
  )
}

interface ShotProps {
  one: Rated
  group: Group
  metrics: readonly Metric[]
  /** Other banners are compared, but there is none to compare this one with. */
  isAlone: boolean
}

function Shot({ one, group, metrics, isAlone }: ShotProps) {
  const { banner, figures } = one
  const { cid, pid, bid, name } = banner
  const isLeader = one === leaderOf(group.verdict)
  return (
    <figure className="shot" data-lead={isLeader || undefined} data-wide={isWide(banner) || undefined}>
      <div className="frame" data-paused={!banner.enabled || undefined}>
        <Picture banner={banner} />
      </div>
      <figcaption>
        <div className="shot-name">
          <Link
            to="/campaigns/$cid/personas/$pid/banners/$bid"
            params={{ cid, pid, bid }}
            className="strong-link trunc"
          >
            {name}
          </Link>
          <span className="s q">{sizeOf(banner)}</span>
          <Mark one={one} group={group} isLeader={isLeader} isAlone={isAlone} />
        </div>
        <dl>
          {metrics.map(metric => (
            <div key={metric}>
              <dt>{shortName(metric)}</dt>
              <dd data-figure={metric}>{write(metric, readMetric(metric, figures))}</dd>
            </div>
          ))}
        </dl>
      </figcaption>
    </figure>
  )
}

const WIDE_FROM = 4
const isWide = ({ width, height }: Banner) =>
  !!width && !!height && width >= 468 && width / height >= WIDE_FROM

function Picture({ banner: { creativeURL, name, width, height } }: { banner: Banner }) {
  // Images on other hosts are not loaded: the page's policy forbids it, and they could track who looks.
  if (!creativeURL.startsWith('/')) {
    return (
      <span className="preview-elsewhere">
        <Icon name="image" size={22} />
        {URL.canParse(creativeURL) ? new URL(creativeURL).host : creativeURL}
      </span>
    )
  }
  return (
    <img
      src={imageUrl(creativeURL)}
      alt={t('banners.previewOf', { name })}
      loading="lazy"
      {...(width && height ? { width, height } : {})}
    />
  )
}

/** The note beside a banner's name: its status, or how it compares with the leader. */
function Mark({ one, group, isLeader, isAlone }: Omit<ShotProps, 'metrics'> & { isLeader: boolean }) {
  const { banner } = one
  if (banner.status !== 'approved' || !banner.enabled) {
    return (
      <span className="mark-end">
        {banner.status === 'approved' ? <StatusBadge status="paused" /> : <Review banner={banner} />}
      </span>
    )
  }
  if (isLeader) {
    return (
      <span className="mark-end lead-mark">
        <Icon name="cup" size={14} />
        {t('banners.leader')}
      </span>
    )
  }
  const leader = leaderOf(group.verdict)
  if (leader) {
    const points = decimal((rateOf(leader) - rateOf(one)) * 100, 2)
    return (
      <span className="mark-end s q">
        {rateOf(leader) > rateOf(one) ? t('banners.behind', { points }) : ''}
      </span>
    )
  }
  return isAlone ? <span className="mark-end s q">{t('banners.onlyOne')}</span> : null
}
