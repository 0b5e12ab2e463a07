// Removes a person, after a question.

import { t } from '../words/words.ts'
import { RemoveButton } from './remove-button.tsx'

interface RemovePersonProps {
  name: string
  /** What is lost with them. */
  about: string
  remove: () => Promise<unknown>
  onRemoved: () => void
}

export function RemovePerson({ name, ...rest }: RemovePersonProps) {
  return (
    <RemoveButton
      word={t('members.remove')}
      label={t('members.removeNamed', { name })}
      title={t('members.removeTitle', { name })}
      {...rest}
    />
  )
}
