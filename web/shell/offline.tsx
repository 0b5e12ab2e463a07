// Without a connection the page stays as it is, and one line says so.

import { Alert } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { t } from '../words/words.ts'
import { Icon } from './icon.tsx'

function subscribe(changed: () => void): () => void {
  window.addEventListener('online', changed)
  window.addEventListener('offline', changed)
  return () => {
    window.removeEventListener('online', changed)
    window.removeEventListener('offline', changed)
  }
}

export function useOnline(): boolean {
  return useSyncExternalStore(subscribe, () => navigator.onLine)
}

export function OfflineBanner() {
  const online = useOnline()
  return (
    <div role="status">
      {!online && (
        <Alert role="group" color="gray" variant="default" mb="md" icon={<Icon name="warning" />}>
          {t('common.offline')}
        </Alert>
      )}
    </div>
  )
}
