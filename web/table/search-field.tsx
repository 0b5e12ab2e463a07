// A field that searches a list.

import { TextInput, type TextInputProps } from '@mantine/core'
import { Icon } from '../shell/icon.tsx'
import { t } from '../words/words.ts'

interface SearchFieldProps extends Omit<TextInputProps, 'onChange'> {
  onChange: (text: string) => void
}

export function SearchField({ onChange, ...props }: SearchFieldProps) {
  return (
    <TextInput
      type="search"
      aria-label={t('table.search')}
      placeholder={t('table.search')}
      leftSection={<Icon name="search" size={16} />}
      onChange={event => onChange(event.currentTarget.value)}
      {...props}
    />
  )
}
