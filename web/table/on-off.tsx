// Rows that can be paused: a column with a switch, and two buttons for the selected rows.

import { Button } from '@mantine/core'
import { Icon } from '../shell/icon.tsx'
import { t } from '../words/words.ts'
import type { Column } from './column.ts'
import { OnOff } from './controls.tsx'

interface CanPause {
  name: string
  enabled: boolean
}

/** `isOver`: the switch of such a row cannot be used. */
export function onOffColumn<Row extends CanPause>(
  onSwitch: (row: Row, enabled: boolean) => void,
  isOver: (row: Row) => boolean = () => false,
): Column<Row> {
  return {
    id: 'enabled',
    title: t('campaigns.onOff'),
    value: row => row.enabled,
    cell: row => (
      <OnOff
        label={t('campaigns.switch', { name: row.name })}
        checked={row.enabled}
        disabled={isOver(row)}
        onChange={enabled => onSwitch(row, enabled)}
      />
    ),
    width: 92,
  }
}

interface OnOffButtonsProps {
  pending: boolean
  onSwitch: (enabled: boolean) => void
}

export function OnOffButtons({ pending, onSwitch }: OnOffButtonsProps) {
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<Icon name="pause" size={14} />}
        loading={pending}
        onClick={() => onSwitch(false)}
      >
        {t('campaigns.pause')}
      </Button>
      <Button
        size="xs"
        variant="default"
        leftSection={<Icon name="play" size={14} />}
        loading={pending}
        onClick={() => onSwitch(true)}
      >
        {t('campaigns.resume')}
      </Button>
    </>
  )
}
