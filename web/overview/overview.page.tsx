// The first page: what needs attention, then today's spend against the budget and the period's figures.

import { Box, Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useCampaigns } from '../campaigns/data.ts'
import { PeriodPicker } from '../period/period-picker.tsx'
import { useMay } from '../session/may.ts'
import { useCuid, useSession } from '../session/session.ts'
import { Icon } from '../shell/icon.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { Nothing } from '../shell/states.tsx'
import { t } from '../words/words.ts'
import { Attention } from './attention.tsx'
import { PeriodFigures } from './period-figures.tsx'
import { Today } from './today.tsx'

export function OverviewPage() {
  const cuid = useCuid()
  const { customer } = useSession()
  const campaigns = useCampaigns(cuid)
  if (campaigns.data?.length === 0) return <Welcome />
  return (
    <>
      <PageHead title={t('overview.hello', { name: customer?.name ?? customer?.company ?? '' })}>
        <PeriodPicker />
      </PageHead>
      <Box mb="lg">
        <Attention cuid={cuid} />
      </Box>
      <PeriodFigures
        cuid={cuid}
        beside={figures => (
          <Today cuid={cuid} figures={figures} campaigns={campaigns.data} error={campaigns.error} />
        )}
      />
    </>
  )
}

function Welcome() {
  const may = useMay()
  return (
    <>
      <PageHead title={t('overview.welcome')} />
      <Nothing icon="campaigns" title={t('campaigns.none')} about={t('campaigns.noneAbout')}>
        {may.edit && (
          <Button component={Link} to="/create" size="md" mt="sm" leftSection={<Icon name="plus" />}>
            {t('campaigns.new')}
          </Button>
        )}
      </Nothing>
    </>
  )
}
