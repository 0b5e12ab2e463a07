// A date in words below its field: the browser writes the field in its own language, in which 03/05 may be another day.

import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../words/words.ts'

/** What a date field is put into. Null: it is empty. */
export function inWords(value: string | null) {
  return (field: ReactNode) => (
    <>
      {field}
      {value !== null && (
        <Text size="xs" c="dimmed" mt={4}>
          {t('form.understood', { value })}
        </Text>
      )}
    </>
  )
}
