// The first tab of a campaign: its banners as pictures with a verdict, and beside them why it does not deliver more.

import { Button, Group, Select, Skeleton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { type Banner, useCampaignBanners } from '../banners/data.ts'
import { Gallery } from '../banners/gallery.tsx'
import { groupsOf } from '../banners/groups.ts'
import { money } from '../format/format.ts'
import { type Persona, usePersonas } from '../personas/data.ts'
import { useMay } from '../session/may.ts'
import { Icon } from '../shell/icon.tsx'
import { Nothing, Refused, Waiting } from '../shell/states.tsx'
import { useChildFigures } from '../stats/figure-columns.ts'
import { type Figures, type Metric, readMetric, shortName, write } from '../stats/figures.ts'
import { FunnelPanel } from '../stats/funnel-panel.tsx'
import { useFigures } from '../stats/use-figures.ts'
import { useAddressState } from '../table/address-state.ts'
import { t } from '../words/words.ts'
import type { Campaign } from './data.ts'
import { ReachHints } from './reach-hints.tsx'

export function CampaignBanners({ campaign }: { campaign: Campaign }) {
  const { cuid, cid } = campaign
  const banners = useCampaignBanners(cuid, cid)
  const personas = usePersonas(cuid, cid)
  const { figuresOf, query: figures } = useChildFigures(cid, 'banner', undefined)
  const groups = useMemo(() => groupsOf(banners.data ?? [], figuresOf), [banners.data, figuresOf])
  const error = banners.error ?? personas.error ?? figures.error
  if (error && !(banners.data && personas.data && figures.data)) {
    return (
      <Refused
        error={error}
        onRetry={() => void [banners.refetch(), personas.refetch(), figures.refetch()]}
      />
    )
  }
  if (!banners.data || !personas.data || !figures.data) return <Waiting height={240} />
  const several = personas.data.length > 1
  const names = new Map(personas.data.map(({ pid, name }) => [pid, name]))
  return (
    <>
      <CampaignFacts campaign={campaign} figures={figures.data.summary} />
      <div className="columns">
        <section aria-label={t('banners.title')}>
          {groups.length === 0 ? (
            <Empty cid={cid} personas={personas.data} />
          ) : (
            <>
              <Gallery
                cuid={cuid}
                groups={groups}
                isWorth={figures.data.summary.value > 0}
                nameOf={pid => (several ? (names.get(pid) ?? null) : null)}
              />
              <AddBanners cid={cid} personas={personas.data} />
            </>
          )}
        </section>
        {personas.data.length > 0 && (
          <Why campaign={campaign} personas={personas.data} banners={banners.data} />
        )}
      </div>
    </>
  )
}

/** With several personas, the button leads to their list, where the reader chooses one. */
function AddBanners({ cid, personas }: { cid: number; personas: readonly Persona[] }) {
  const may = useMay()
  const [first, ...more] = personas
  if (!may.edit || !first) return null
  const [to, tab] =
    more.length > 0
      ? [`/campaigns/${cid}`, 'personas']
      : [`/campaigns/${cid}/personas/${first.pid}`, 'banners']
  return (
    <Group>
      <Button
        component={Link}
        to={to}
        search={{ tab } as never}
        variant="default"
        leftSection={<Icon name="plus" size={16} />}
      >
        {t('banners.add')}
      </Button>
    </Group>
  )
}

function Empty({ cid, personas }: { cid: number; personas: readonly Persona[] }) {
  const may = useMay()
  if (personas.length > 0) {
    return (
      <Nothing icon="image" title={t('banners.none')} about={t('banners.noneAbout')}>
        <AddBanners cid={cid} personas={personas} />
      </Nothing>
    )
  }
  return (
    <Nothing icon="customers" title={t('personas.none')} about={t('personas.noneAbout')}>
      {may.edit && (
        <Button component={Link} to={`/campaigns/${cid}/new-persona`}>
          {t('personas.new')}
        </Button>
      )}
    </Nothing>
  )
}

interface WhyProps {
  campaign: Campaign
  personas: readonly Persona[]
  banners: readonly Banner[]
}

/** The funnel of one persona; the address says which. */
function Why({ campaign, personas, banners }: WhyProps) {
  const [chosen, choose] = useAddressState('why')
  const shown = personas.find(({ pid }) => String(pid) === chosen) ?? personas[0]!
  return (
    <FunnelPanel
      cid={campaign.cid}
      pid={shown.pid}
      hints={(worst, remedy) => (
        <ReachHints
          campaign={campaign}
          persona={shown}
          banners={banners.filter(({ pid }) => pid === shown.pid)}
          worst={worst}
          remedy={remedy}
        />
      )}
      actions={
        personas.length > 1 && (
          <Select
            aria-label={t('dimension.persona')}
            allowDeselect={false}
            w={300}
            maw="100%"
            value={String(shown.pid)}
            data={personas.map(({ pid, name }) => ({ value: String(pid), label: name }))}
            onChange={next => next && choose(next)}
          />
        )
      }
    />
  )
}

interface CampaignFactsProps {
  campaign: Campaign
  /** The figures of the period; undefined while they load. */
  figures: Figures | undefined
}

/** The campaign in four figures: today's money against its budget, and what the period brought. */
function CampaignFacts({ campaign, figures }: CampaignFactsProps) {
  const { data } = useFigures(campaign.cuid, { today: true })
  const today = data?.today?.campaigns.find(({ cid }) => cid === campaign.cid)
  const metrics: Metric[] = ['clicks', 'cpa', figures && figures.value > 0 ? 'roas' : 'ctr']
  return (
    <dl className="facts">
      <div>
        <dt>{t('period.today')}</dt>
        <dd>
          {data ? (
            t('campaigns.spentOf', { spent: money(today?.spend ?? 0), budget: money(campaign.dailySpend) })
          ) : (
            <Skeleton h={16} my={2} w={110} />
          )}
        </dd>
      </div>
      {metrics.map(metric => (
        <div key={metric}>
          <dt>{shortName(metric)}</dt>
          <dd>{figures ? write(metric, readMetric(metric, figures)) : <Skeleton h={16} my={2} w={60} />}</dd>
        </div>
      ))}
    </dl>
  )
}
