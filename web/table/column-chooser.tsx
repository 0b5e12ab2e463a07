// Which columns a table shows, saved in this browser per table, and how tall its rows are, saved for all tables; the
// first column and the controls always stay.

import { Button, Checkbox, Divider, Popover, Stack } from '@mantine/core'
import { useMemo, useState } from 'react'
import { useDropdown } from '../form/open-dialogs.ts'
import { Icon } from '../shell/icon.tsx'
import { t } from '../words/words.ts'
import type { Column } from './column.ts'

const DENSE = 'marquee-dense-rows'
const keyOf = (table: string) => `marquee-columns-${table}`

function keptHidden(table: string): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(table)) ?? '[]')
    return Array.isArray(kept) ? kept.map(String) : []
  } catch {
    return []
  }
}

/** Hidden columns are stored, so that a new column is visible. */
export function useColumnChoice<Row>(table: string, columns: readonly Column<Row>[]) {
  const [hidden, setHidden] = useState(() => keptHidden(table))
  const shown = useMemo(
    () => columns.filter((column, index) => isFixed(column, index) || !hidden.includes(column.id)),
    [columns, hidden],
  )
  const hide = (next: string[]) => {
    setHidden(next)
    localStorage.setItem(keyOf(table), JSON.stringify(next))
  }
  const [isDense, setDense] = useState(() => localStorage.getItem(DENSE) === 'true')
  const pack = (next: boolean) => {
    setDense(next)
    localStorage.setItem(DENSE, String(next))
  }
  return { shown, hidden, hide, isDense, pack }
}

const isFixed = <Row,>(column: Column<Row>, index: number) => index === 0 || !!column.control

interface ColumnChooserProps<Row> {
  columns: readonly Column<Row>[]
  hidden: readonly string[]
  onHide: (hidden: string[]) => void
  isDense: boolean
  onPack: (isDense: boolean) => void
}

export function ColumnChooser<Row>(props: ColumnChooserProps<Row>) {
  const { columns, hidden, onHide, isDense, onPack } = props
  const { opened, onChange } = useDropdown()
  const choosable = columns.filter((column, index) => !isFixed(column, index))
  return (
    <Popover opened={opened} onChange={onChange} position="bottom-end" width={240} shadow="md" trapFocus>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<Icon name="columns" size={16} />}
          onClick={() => onChange(!opened)}
        >
          {t('table.columns')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('table.columns')} mah={420} style={{ overflowY: 'auto' }}>
        <Stack gap={10}>
          {choosable.map(({ id, title }) => (
            <Checkbox
              key={id}
              size="sm"
              label={title}
              checked={!hidden.includes(id)}
              onChange={event =>
                onHide(event.currentTarget.checked ? hidden.filter(name => name !== id) : [...hidden, id])
              }
            />
          ))}
          <Divider />
          <Checkbox
            size="sm"
            label={t('table.dense')}
            checked={isDense}
            onChange={event => onPack(event.currentTarget.checked)}
          />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
