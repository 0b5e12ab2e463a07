// Today's spend against today's budget, in total and by campaign. It is updated as money is spent.

import { Anchor, Group, Progress, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Campaign } from '../campaigns/data.ts'
import * as format from '../format/format.ts'
import { Panel } from '../shell/panel.tsx'
import { Refused } from '../shell/states.tsx'
import { useLiveFigures } from '../stats/live.ts'
import { LiveMark } from '../stats/live-panel.tsx'
import type { FiguresQuery } from '../stats/use-figures.ts'
import { t } from '../words/words.ts'

interface TodayProps {
  cuid: number
  figures: FiguresQuery
  campaigns: readonly Campaign[] | undefined
  error: Error | null
}

const SHOWN = 5

export function Today({ cuid, figures, campaigns, error }: TodayProps) {
  const isLive = useLiveFigures(cuid)
  const live = figures.data?.today
  const spentBy = new Map(live?.campaigns.map(({ cid, spend }) => [cid, spend]))
  const active = (campaigns ?? []).filter(({ status }) => status === 'running' || status === 'spent')
  const budget = active.reduce((sum, campaign) => sum + campaign.dailySpend, 0)
  const spent = live?.spend ?? 0
  const top = active
    .map(campaign => ({ campaign, spent: spentBy.get(campaign.cid) ?? 0 }))
    .sort((a, b) => b.spent - a.spent || b.campaign.dailySpend - a.campaign.dailySpend)
    .slice(0, SHOWN)
  return (
    <Panel title={t('overview.today')} actions={<LiveMark isLive={isLive} />}>
      {error && <Refused error={error} />}
      <Group align="baseline" gap={8}>
        <Text fz={30} fw={700} lh={1.1}>
          {live ? format.money(spent) : '–'}
        </Text>
        <Text size="sm" c="dimmed">
          {t('overview.ofBudget', { budget: campaigns ? format.money(budget) : '–' })}
        </Text>
      </Group>
      <Bar label={t('overview.today')} spent={spent} budget={budget} size={10} />
      <Stack gap="sm" mt="lg">
        {top.map(({ campaign, spent: own }) => (
          <div key={campaign.cid}>
            <Group justify="space-between" wrap="nowrap" gap="sm">
              <Anchor
                component={Link}
                to={`/campaigns/${campaign.cid}`}
                size="sm"
                truncate
                c="var(--mantine-color-text)"
              >
                {campaign.name}
              </Anchor>
              <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
                {format.money(own)} / {format.money(campaign.dailySpend)}
              </Text>
            </Group>
            <Bar label={campaign.name} spent={own} budget={campaign.dailySpend} size={5} />
          </div>
        ))}
        {campaigns && active.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('overview.noneRunning')}
          </Text>
        )}
        {active.length > SHOWN && (
          <Anchor component={Link} to="/campaigns" size="sm">
            {t('overview.allCampaigns', { count: active.length })}
          </Anchor>
        )}
      </Stack>
    </Panel>
  )
}

interface BarProps {
  label: string
  spent: number
  budget: number
  size: number
}

function Bar({ label, spent, budget, size }: BarProps) {
  const percent = budget > 0 ? Math.min(100, (spent / budget) * 100) : 0
  return <Progress value={percent} size={size} radius="xl" mt={6} aria-label={label} />
}
