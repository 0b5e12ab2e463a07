// The button that sends a form. It also says when there is no connection, because the line at the top of the page may
// be out of sight. It can still be pressed, since browsers are sometimes wrong about that.

import { Button, type ButtonProps, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useOnline } from '../shell/offline.tsx'
import { t } from '../words/words.ts'

interface SubmitButtonProps extends Pick<ButtonProps, 'size'> {
  busy: boolean
  children: ReactNode
}

export function SubmitButton({ busy, size = 'sm', children }: SubmitButtonProps) {
  const online = useOnline()
  return (
    <>
      {!online && (
        <Text size="sm" role="status">
          {t('form.offline')}
        </Text>
      )}
      <Button type="submit" size={size} loading={busy} flex="none">
        {children}
      </Button>
    </>
  )
}
