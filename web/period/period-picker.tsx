// Chooses the period: a preset, or two days.

import { Button, Divider, Group, Popover, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { COMPARISONS } from '../../src/report/saved-views/contract.ts'
import { useDropdown } from '../form/open-dialogs.ts'
import { dayRange } from '../format/format.ts'
import { Icon } from '../shell/icon.tsx'
import { named, t } from '../words/words.ts'
import { type Period, PRESETS } from './period.ts'
import { usePeriod, useSetPeriod } from './use-period.ts'
import { addDays, dayOf } from './zone.ts'

export function PeriodPicker() {
  const period = usePeriod()
  const { opened, onChange } = useDropdown()
  return (
    <Popover opened={opened} onChange={onChange} position="bottom-end" width={340} shadow="md" trapFocus>
      <Popover.Target>
        <Button
          maw="100%"
          // Two months in words take two lines on a phone.
          h="auto"
          mih="var(--control)"
          styles={{ label: { whiteSpace: 'normal', textAlign: 'start', lineHeight: 'var(--lead-m)' } }}
          variant="default"
          leftSection={<Icon name="calendar" size={16} />}
          onClick={() => onChange(!opened)}
        >
          {titleOf(period)}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('period.choose')}>
        <Choices period={period} onDone={() => onChange(false)} />
      </Popover.Dropdown>
    </Popover>
  )
}

export function titleOf(period: Period): string {
  const preset = period.preset === 'custom' ? '' : named('period', period.preset)
  if (period.preset === 'all') return preset
  const days = dayRange(period.startS, period.endS, period.tz)
  return preset ? `${preset}: ${days}` : days
}

/** Nobody has figures before the first day; a year after the last has too many digits for its field. */
const [FIRST_DAY, LAST_DAY] = ['2000-01-01', '9999-12-31']

function Choices({ period, onDone }: { period: Period; onDone: () => void }) {
  const setPeriod = useSetPeriod()
  // As typed: a date typed digit by digit is in the year 2 for a moment, or before the other date.
  const [days, setDays] = useState({ from: period.firstDay, to: period.lastDay })
  const type = (part: Partial<typeof days>) => {
    const next = { ...days, ...part }
    setDays(next)
    if (next.from >= FIRST_DAY && next.to >= next.from) setPeriod(next)
  }
  return (
    <Stack gap="sm">
      <SimpleGrid cols={2} spacing={6}>
        {PRESETS.map(preset => (
          <Button
            key={preset}
            size="xs"
            variant={preset === period.preset ? 'filled' : 'default'}
            aria-pressed={preset === period.preset}
            onClick={() => {
              setPeriod({ range: preset })
              onDone()
            }}
          >
            {named('period', preset)}
          </Button>
        ))}
      </SimpleGrid>
      <Divider />
      <Group grow gap="xs">
        <TextInput
          type="date"
          size="xs"
          label={t('period.from')}
          value={days.from}
          max={LAST_DAY}
          onChange={event => type({ from: event.currentTarget.value })}
        />
        <TextInput
          type="date"
          size="xs"
          label={t('period.to')}
          value={days.to}
          max={LAST_DAY}
          onChange={event => type({ to: event.currentTarget.value })}
        />
      </Group>
      {days.to >= FIRST_DAY && days.to < days.from && (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {t('error.period')}
        </Text>
      )}
      <Against period={period} />
      <Text size="xs" c="dimmed">
        {t('period.daysOf', { zone: period.tz })}
      </Text>
    </Stack>
  )
}

/** What the period is compared with. */
function Against({ period: { preset, compared, tz, firstDay, days } }: { period: Period }) {
  const setPeriod = useSetPeriod()
  if (preset === 'all') return null
  const by = compared?.by ?? 'none'
  const isOwn = !COMPARISONS.some(one => one === by)
  return (
    <>
      <Divider />
      <SimpleGrid cols={2} spacing={6} role="group" aria-label={t('period.against')}>
        <Text size="sm" style={{ gridColumn: '1 / -1' }} aria-hidden="true">
          {t('period.against')}
        </Text>
        {COMPARISONS.map(one => (
          <Button
            key={one}
            size="xs"
            variant={one === by ? 'filled' : 'default'}
            aria-pressed={one === by}
            onClick={() => setPeriod({ against: one })}
          >
            {t(`period.against.${one}`)}
          </Button>
        ))}
      </SimpleGrid>
      <TextInput
        key={isOwn ? 'own' : by}
        type="date"
        size="xs"
        label={t('period.againstFrom')}
        defaultValue={compared ? dayOf(compared.startS, tz) : ''}
        min={FIRST_DAY}
        max={addDays(firstDay, -days)}
        onChange={({ currentTarget: { value } }) => value >= FIRST_DAY && setPeriod({ against: value })}
      />
    </>
  )
}
