// Duplicates what a page is about.

import { Button } from '@mantine/core'
import { Icon } from '../shell/icon.tsx'
import { t } from '../words/words.ts'
import { useOnce } from './once.ts'

export function CopyButton({ busy, onCopy }: { busy: boolean; onCopy: () => void }) {
  const copy = useOnce(busy, onCopy)
  return (
    <Button variant="default" leftSection={<Icon name="copy" size={16} />} loading={busy} onClick={copy}>
      {t('copy.do')}
    </Button>
  )
}
