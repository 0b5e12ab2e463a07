// Next to why a campaign does not deliver more: what another price would change, and which sizes no banner has.

import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api } from '../api/client.ts'
import type { Banner } from '../banners/data.ts'
import { money, roundPercent } from '../format/format.ts'
import type { Persona } from '../personas/data.ts'
import { useMay } from '../session/may.ts'
import type { FunnelStage } from '../stats/funnel-answer.ts'
import { t } from '../words/words.ts'
import type { Campaign } from './data.ts'
import { MissingSize, missingIn } from './missing-sizes.tsx'

interface ReachHintsProps {
  campaign: Campaign
  persona: Persona
  /** The banners of the persona. */
  banners: readonly Banner[]
  /** The stage that loses the most. */
  worst: FunnelStage | null
  /** What is offered if another price would not help. */
  remedy: ReactNode
}

export function ReachHints({ campaign, persona, banners, worst, remedy }: ReachHintsProps) {
  const { cuid, cid, hours, pricing, cpm } = campaign
  const { pid, geo, cat, device, demo } = persona
  const may = useMay()
  const sizes = [...new Set(banners.flatMap(({ width, height }) => (width ? [`${width}x${height}`] : [])))]
  const body = { geo, cat, device, demo, hours, sizes, cpm: pricing === 'cpm' ? cpm : null }
  const { data: reach } = useQuery({
    queryKey: ['reach', cuid, JSON.stringify(body)],
    queryFn: () => api.estimateReach({ cuid, body }),
    enabled: sizes.length > 0,
    retry: false,
  })
  if (!reach || sizes.length === 0) return remedy
  const { better, fits } = reach
  const isPrice = worst === 'floor' && better !== null
  return (
    <div className="reach-hints">
      {!isPrice && remedy}
      {isPrice && (
        <p>
          <span className="reach-what">
            {t('reach.better', { cpm: money(better.cpm), share: roundPercent(better.affordable / fits) })}
          </span>
          {may.edit && (
            <Button
              component={Link}
              to={`/campaigns/${cid}`}
              search={{ tab: 'settings', cpm: better.cpm } as never}
              variant="default"
            >
              {t('reach.try', { cpm: money(better.cpm) })}
            </Button>
          )}
        </p>
      )}
      {missingIn(reach).map(one => (
        <p key={one.size}>
          <span className="reach-what">
            <MissingSize {...one} />
          </span>
          {may.edit && (
            <Button
              component={Link}
              to={`/campaigns/${cid}/personas/${pid}`}
              search={{ tab: 'banners' } as never}
              variant="default"
              aria-label={t('reach.addSizeOf', { size: one.size.replace('x', ' × ') })}
            >
              {t('reach.addSize')}
            </Button>
          )}
        </p>
      ))}
    </div>
  )
}
