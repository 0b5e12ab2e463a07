// Duplicates the subject of a page. Readers who may not edit do not see it.

import { Button } from '@mantine/core'
import { useMay } from '../session/may.ts'
import { Icon } from '../shell/icon.tsx'
import { t } from '../words/words.ts'
import { useOnce } from './once.ts'

export function CopyButton({ busy, onCopy }: { busy: boolean; onCopy: () => void }) {
  const copy = useOnce(busy, onCopy)
  const may = useMay()
  if (!may.edit) return null
  return (
    <Button variant="default" leftSection={<Icon name="copy" size={16} />} loading={busy} onClick={copy}>
      {t('copy.do')}
    </Button>
  )
}
