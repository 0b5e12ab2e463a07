// The list of campaigns before the first one.

import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { roundMoney } from '../format/format.ts'
import { Meter } from '../overview/meter.tsx'
import { useMay } from '../session/may.ts'
import { Icon } from '../shell/icon.tsx'
import { t } from '../words/words.ts'
import { Tile } from './tile.tsx'

const ROWS = [
  { name: 'empty.campaign1', spent: 18, budget: 30 },
  { name: 'empty.campaign2', spent: 41, budget: 60 },
  { name: 'empty.campaign3', spent: 6, budget: 20 },
] as const

export function NoCampaigns() {
  const may = useMay()
  return (
    <Tile
      isExample
      picture={
        <div className="tile-rows">
          {ROWS.map(({ name, spent, budget }) => (
            <div key={name}>
              <i />
              <span className="trunc">{t(name)}</span>
              <Meter spent={spent} budget={budget} />
              <span className="s n">{roundMoney(budget)}</span>
            </div>
          ))}
        </div>
      }
      title={t('empty.campaigns')}
      about={t('empty.campaignsAbout')}
    >
      {may.edit && (
        <Button component={Link} to="/create" leftSection={<Icon name="plus" />}>
          {t('campaigns.new')}
        </Button>
      )}
    </Tile>
  )
}
