// When a campaign delivers: always, or in painted hours of the week.

import { Button, Fieldset, Group, Input, Stack, Switch, Text } from '@mantine/core'
import { t } from '../../words/words.ts'
import { countHours, type Hours, officeHours } from './week.ts'
import { WeekGrid } from './week-grid.tsx'
import { weekText } from './week-text.ts'

interface HoursFieldProps {
  /** Null: always. */
  value: Hours | null
  error?: string
  onChange: (hours: Hours | null) => void
}

export function HoursField({ value, error, onChange }: HoursFieldProps) {
  return (
    <Fieldset legend={t('hours.title')} variant="unstyled">
      <Stack gap="sm" align="flex-start">
        <Switch
          label={t('hours.only')}
          checked={value !== null}
          onChange={event => onChange(event.currentTarget.checked ? officeHours() : null)}
        />
        {value && (
          <>
            <WeekGrid value={value} isInvalid={error !== undefined} onChange={onChange} />
            {error && <Input.Error>{error}</Input.Error>}
            <Group gap="xs">
              <Button variant="default" size="compact-sm" onClick={() => onChange(officeHours())}>
                {t('hours.office')}
              </Button>
              <Button variant="default" size="compact-sm" onClick={() => onChange({})}>
                {t('hours.clear')}
              </Button>
            </Group>
            <Text size="xs" c="dimmed" role="status">
              {t('hours.count', { count: countHours(value) })} {weekText(value)}
            </Text>
          </>
        )}
      </Stack>
    </Fieldset>
  )
}
