// The ceilings of a key, a line each.

import { Text } from '@mantine/core'
import type { Credential } from '../../src/manage/customers/credentials/contract.ts'
import { named, t } from '../words/words.ts'
import { CEILINGS, writeCeiling } from './key-ceilings.ts'

export function CeilingsOf({ ceilings }: Pick<Credential, 'ceilings'>) {
  return CEILINGS.map(ceiling => {
    const value = ceilings?.[ceiling] ?? null
    if (value === null) return null
    const words = { name: named('keys.ceiling', ceiling), value: writeCeiling(ceiling, value) }
    return (
      <Text key={ceiling} size="xs" c="dimmed">
        {t('keys.ceilingIs', words)}
      </Text>
    )
  })
}
