// When something begins and ends, by the clock of the customer.

import { SimpleGrid } from '@mantine/core'
import { useZone } from '../period/use-period.ts'
import { t } from '../words/words.ts'
import type { FieldErrors } from './field-errors.ts'
import { WallTime } from './wall-time.tsx'

interface Dates {
  start: number | null
  end: number | null
}

interface StartAndEndProps extends Dates {
  errors: FieldErrors
  onChange: (change: Partial<Dates>) => void
}

export function StartAndEnd({ start, end, errors, onChange }: StartAndEndProps) {
  const timeZone = useZone()
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <WallTime
        label={t('campaigns.start')}
        required
        value={start}
        timeZone={timeZone}
        error={errors.at('/start')}
        onChange={next => onChange({ start: next })}
      />
      <WallTime
        label={t('campaigns.end')}
        required
        value={end}
        timeZone={timeZone}
        error={errors.at('/end')}
        onChange={next => onChange({ end: next })}
      />
    </SimpleGrid>
  )
}
