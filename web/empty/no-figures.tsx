// The statistics page before the first campaign has begun.

import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Campaign } from '../campaigns/data.ts'
import { shortTime } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { useMay } from '../session/may.ts'
import { Icon } from '../shell/icon.tsx'
import { t } from '../words/words.ts'
import { ExampleChart } from './example-chart.tsx'
import { Tile } from './tile.tsx'

/** `next`: the campaign that begins first, if any. */
export function NoFigures({ next }: { next: Campaign | undefined }) {
  const zone = useZone()
  const may = useMay()
  const starts = next && t('empty.starts', { name: next.name, time: shortTime(next.start, zone) })
  return (
    <Tile
      isExample
      picture={<ExampleChart height={170} />}
      title={t('empty.statistics')}
      about={[t('empty.statisticsAbout'), starts].filter(Boolean).join(' ')}
    >
      {next ? (
        <Button component={Link} to={`/campaigns/${next.cid}`} variant="default">
          {t('empty.look', { name: next.name })}
        </Button>
      ) : (
        may.edit && (
          <Button component={Link} to="/create" leftSection={<Icon name="plus" />}>
            {t('campaigns.new')}
          </Button>
        )
      )}
    </Tile>
  )
}
