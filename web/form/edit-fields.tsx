// Fields that only readers who may edit can change; others only read them.

import { Fieldset, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { useMay } from '../session/may.ts'

export function EditFields({ children }: { children: ReactNode }) {
  const { edit } = useMay()
  if (edit) return children
  return (
    <Fieldset variant="unstyled" disabled miw={0}>
      <Stack>{children}</Stack>
    </Fieldset>
  )
}
