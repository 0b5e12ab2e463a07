// Copies a text such as a snippet, and confirms it.

import { Button, CopyButton } from '@mantine/core'
import { t } from '../words/words.ts'

export function CopyText({ text, label }: { text: string; label: string }) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Button size="xs" variant="default" aria-label={label} onClick={copy}>
          {t(copied ? 'form.copied' : 'form.copy')}
        </Button>
      )}
    </CopyButton>
  )
}
