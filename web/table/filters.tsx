// Which rows a table shows: by status and by spend. The choice is kept in the address.

import { Button, Checkbox, Group, Popover, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { readNumber, writeNumber } from '../form/number.ts'
import { NumberField } from '../form/number-field.tsx'
import { useDropdown } from '../form/open-dialogs.ts'
import { amountWithin } from '../form/range.ts'
import { currencySign, exactMoney } from '../format/format.ts'
import { Icon } from '../shell/icon.tsx'
import { named, t } from '../words/words.ts'
import { useAddressState } from './address-state.ts'

export interface RowFilters {
  /** Empty: all. */
  statuses: readonly string[]
  spendFrom: number | null
  spendTo: number | null
}

export interface UsedFilters extends RowFilters {
  set: (next: Partial<RowFilters>) => void
  /** How many filters are in use. */
  count: number
}

export function useFilters(table: string): UsedFilters {
  const [status, setStatus] = useAddressState(`${table}.status`)
  const [from, setFrom] = useAddressState(`${table}.from`)
  const [to, setTo] = useAddressState(`${table}.to`)
  const statuses = status ? status.split('-') : []
  const [spendFrom, spendTo] = [spendIn(from), spendIn(to)]
  return {
    statuses,
    spendFrom,
    spendTo,
    count: Number(statuses.length > 0) + Number(spendFrom !== null || spendTo !== null),
    set: next => {
      if (next.statuses) setStatus(next.statuses.length > 0 ? next.statuses.join('-') : undefined)
      if (next.spendFrom !== undefined) setFrom(next.spendFrom === null ? undefined : String(next.spendFrom))
      if (next.spendTo !== undefined) setTo(next.spendTo === null ? undefined : String(next.spendTo))
    },
  }
}

/** The range that a saved view can keep. */
const SPEND = { minimum: 0, maximum: 1_000_000_000 }

/** The amount in the address; null: none, or one that nobody can have spent. */
export function spendIn(text: string | undefined): number | null {
  const amount = text === undefined || text === '' ? Number.NaN : Number(text)
  return isSpend(amount) ? amount : null
}

const isSpend = (amount: number) => amount >= SPEND.minimum && amount <= SPEND.maximum

export function filterRows<Row>(
  rows: readonly Row[],
  { statuses, spendFrom, spendTo }: RowFilters,
  statusOf: ((row: Row) => string) | undefined,
  spendOf: ((row: Row) => number | null) | undefined,
): readonly Row[] {
  const byStatus = statusOf && statuses.length > 0
  const bySpend = spendOf && (spendFrom !== null || spendTo !== null)
  if (!byStatus && !bySpend) return rows
  return rows.filter(row => {
    if (byStatus && !statuses.includes(statusOf(row))) return false
    if (!bySpend) return true
    const spend = spendOf(row) ?? 0
    return spend >= (spendFrom ?? 0) && spend <= (spendTo ?? Number.POSITIVE_INFINITY)
  })
}

interface FiltersProps {
  filters: UsedFilters
  /** The statuses to choose from; empty: no such filter. */
  statuses: readonly string[]
  bySpend: boolean
}

export function Filters({ filters, statuses, bySpend }: FiltersProps) {
  const { opened, onChange } = useDropdown()
  const word = filters.count > 0 ? t('table.filtersUsed', { count: filters.count }) : t('table.filters')
  return (
    <Popover opened={opened} onChange={onChange} position="bottom-start" width={280} shadow="md" trapFocus>
      <Popover.Target>
        <Button
          variant="default"
          className="filters"
          aria-label={word}
          leftSection={<Icon name="filter" size={16} />}
          onClick={() => onChange(!opened)}
        >
          <span className="desk">{word}</span>
          {filters.count > 0 && <span className="used">{filters.count}</span>}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('table.filters')}>
        <Stack gap="md">
          {statuses.length > 0 && (
            <Checkbox.Group
              label={t('campaigns.status')}
              value={[...filters.statuses]}
              onChange={next => filters.set({ statuses: next })}
            >
              <Stack gap={8} mt={6}>
                {statuses.map(status => (
                  <Checkbox key={status} value={status} label={named('status', status)} size="sm" />
                ))}
              </Stack>
            </Checkbox.Group>
          )}
          {bySpend && (
            <div>
              <Text size="sm" mb={4}>
                {t('metric.spend')}
              </Text>
              <Group grow align="flex-start" gap="xs">
                <Amount
                  label={t('table.atLeast')}
                  value={filters.spendFrom}
                  onChange={spendFrom => filters.set({ spendFrom })}
                />
                <Amount
                  label={t('table.atMost')}
                  value={filters.spendTo}
                  onChange={spendTo => filters.set({ spendTo })}
                />
              </Group>
            </div>
          )}
          {filters.count > 0 && (
            <Button
              variant="subtle"
              size="compact-sm"
              onClick={() => filters.set({ statuses: [], spendFrom: null, spendTo: null })}
            >
              {t('table.noFilters')}
            </Button>
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

interface AmountProps {
  label: string
  value: number | null
  onChange: (next: number | null) => void
}

function Amount({ label, value, onChange }: AmountProps) {
  const [typed, setTyped] = useState(value === null ? '' : writeNumber(value, 2))
  useEffect(() => {
    // Clearing the filter also clears the typed text.
    if (value === null) setTyped('')
  }, [value])
  return (
    <NumberField
      label={label}
      size="xs"
      sign={currencySign()}
      decimals={2}
      show={exactMoney}
      check={amountWithin(SPEND)}
      value={typed}
      onChange={next => {
        setTyped(next)
        const read = readNumber(next, 2)
        if (!('value' in read)) {
          if (read.problem === 'empty') onChange(null)
        } else if (isSpend(read.value)) onChange(read.value)
      }}
    />
  )
}
