// Rows that can be paused: a column with a switch, and two buttons for the selected rows. Some readers may pause but
// not resume; those who may do neither see only the status.

import { Button } from '@mantine/core'
import { type May, useMay } from '../session/may.ts'
import { Icon } from '../shell/icon.tsx'
import { t } from '../words/words.ts'
import type { Column } from './column.ts'
import { OnOff } from './controls.tsx'

interface CanPause {
  name: string
  enabled: boolean
}

/** `isOver`: the switch of such a row cannot be used. */
export function onOffColumns<Row extends CanPause>(
  may: May,
  onSwitch: (row: Row, enabled: boolean) => void,
  isOver: (row: Row) => boolean = () => false,
): Column<Row>[] {
  if (!may.pause) return []
  const column: Column<Row> = {
    id: 'enabled',
    title: t('campaigns.onOff'),
    value: row => row.enabled,
    cell: row => (
      <OnOff
        label={t('campaigns.switch', { name: row.name })}
        checked={row.enabled}
        disabled={isOver(row) || !(row.enabled || may.edit)}
        onChange={enabled => onSwitch(row, enabled)}
      />
    ),
    width: 68,
  }
  return [column]
}

interface OnOffButtonsProps {
  /** Inside a bar that has its own border. */
  isBare?: boolean
  pending: boolean
  onSwitch: (enabled: boolean) => void
}

export function OnOffButtons({ isBare = false, pending, onSwitch }: OnOffButtonsProps) {
  const may = useMay()
  const look = isBare ? ({ variant: 'subtle', color: 'gray' } as const) : { variant: 'default' }
  return (
    <>
      <Button
        size="xs"
        {...look}
        leftSection={<Icon name="pause" size={14} />}
        loading={pending}
        onClick={() => onSwitch(false)}
      >
        {t('campaigns.pause')}
      </Button>
      {may.edit && (
        <Button
          size="xs"
          {...look}
          leftSection={<Icon name="play" size={14} />}
          loading={pending}
          onClick={() => onSwitch(true)}
        >
          {t('campaigns.resume')}
        </Button>
      )}
    </>
  )
}
