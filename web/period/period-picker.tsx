// Chooses the period: a preset, or two days.

import { Button, Divider, Group, Popover, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { dayRange } from '../format/format.ts'
import { Icon } from '../shell/icon.tsx'
import { named, t } from '../words/words.ts'
import { type Period, PRESETS } from './period.ts'
import { usePeriod, useSetPeriod } from './use-period.ts'

export function PeriodPicker() {
  const period = usePeriod()
  const [opened, { toggle, close }] = useDisclosure()
  return (
    <Popover
      opened={opened}
      onChange={open => !open && close()}
      position="bottom-end"
      width={340}
      shadow="md"
      trapFocus
    >
      <Popover.Target>
        <Button
          maw="100%"
          // Two months in words need two lines on a phone.
          h="auto"
          mih="var(--control)"
          styles={{ label: { whiteSpace: 'normal', textAlign: 'start', lineHeight: 'var(--lead-m)' } }}
          variant="default"
          leftSection={<Icon name="calendar" size={16} />}
          onClick={toggle}
        >
          {titleOf(period)}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('period.choose')}>
        <Choices period={period} onDone={close} />
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

function Choices({ period, onDone }: { period: Period; onDone: () => void }) {
  const setPeriod = useSetPeriod()
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
          value={period.firstDay}
          max={period.lastDay}
          onChange={event => {
            const from = event.currentTarget.value
            if (from) setPeriod({ from, to: period.lastDay })
          }}
        />
        <TextInput
          type="date"
          size="xs"
          label={t('period.to')}
          value={period.lastDay}
          min={period.firstDay}
          onChange={event => {
            const to = event.currentTarget.value
            if (to) setPeriod({ from: period.firstDay, to })
          }}
        />
      </Group>
      <Text size="xs" c="dimmed">
        {t('period.daysOf', { zone: period.tz })}
      </Text>
    </Stack>
  )
}
