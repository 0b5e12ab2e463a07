// A field for a colour. The button that picks one from the screen has no text, so it gets a name here.

import { ColorInput, type ColorInputProps } from '@mantine/core'
import { t } from '../words/words.ts'

/** Not over what comes next in the form. */
const BESIDE: ColorInputProps['popoverProps'] = {
  position: 'right-start',
  middlewares: { flip: { fallbackPlacements: ['top-start'] }, shift: true },
}

export function ColourField(props: ColorInputProps) {
  return (
    <ColorInput
      {...props}
      eyeDropperButtonProps={{ 'aria-label': t('form.fromScreen') }}
      popoverProps={BESIDE}
    />
  )
}
