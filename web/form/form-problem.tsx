// The sentence above a form that was refused.

import { Alert } from '@mantine/core'
import { Icon } from '../shell/icon.tsx'
import { t } from '../words/words.ts'
import type { FieldErrors } from './field-errors.ts'

export function FormProblem({ errors }: { errors: FieldErrors }) {
  if (errors.message === null) return null
  return (
    <Alert color="red" icon={<Icon name="warning" />} role="alert" title={t('form.refused')}>
      {errors.message}
    </Alert>
  )
}
