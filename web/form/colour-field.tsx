// A field for a colour. The button that picks one from the screen has no text, so it gets a name here.

import { ColorInput, type ColorInputProps } from '@mantine/core'
import { t } from '../words/words.ts'

export function ColourField(props: ColorInputProps) {
  return <ColorInput {...props} eyeDropperButtonProps={{ 'aria-label': t('form.fromScreen') }} />
}
