// The button that starts a new campaign: the one filled button of a page. A phone shows it at the top instead.

import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useMay } from '../session/may.ts'
import { Icon } from '../shell/icon.tsx'
import { t } from '../words/words.ts'

export function NewCampaignButton() {
  const may = useMay()
  if (!may.edit) return null
  return (
    <Button component={Link} to="/create" className="desk" leftSection={<Icon name="plus" />}>
      {t('campaigns.new')}
    </Button>
  )
}
