// Secrets to be copied, shown once and never again.

import { Alert, Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon } from '../shell/icon.tsx'
import { t } from '../words/words.ts'
import { useUnsaved } from './unsaved.ts'

interface ShownOnceProps {
  /** How many secrets. */
  count: number
  /** What else to know about them. */
  about?: string
  onClose: () => void
  children: ReactNode
}

export function ShownOnce({ count, about, onClose, children }: ShownOnceProps) {
  const letGo = useUnsaved(true, t('form.notYetKept', { count }))
  const close = () => {
    letGo()
    onClose()
  }
  return (
    <Stack>
      <Alert role="group" color="yellow" icon={<Icon name="key" />} title={t('form.once', { count })}>
        {t('form.onceAbout', { count })}
      </Alert>
      {children}
      {about && <Text size="sm">{about}</Text>}
      <Group justify="flex-end">
        <Button onClick={close}>{t('form.kept', { count })}</Button>
      </Group>
    </Stack>
  )
}

export function Secret({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <Text size="sm" fw="var(--strong)" mb={4}>
        {label}
      </Text>
      <Group gap="xs" wrap="nowrap">
        <Code block style={{ flex: 1, overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
          {value}
        </Code>
        <CopyButton value={value}>
          {({ copied, copy }) => (
            <Button size="xs" variant="default" onClick={copy}>
              {t(copied ? 'form.copied' : 'form.copy')}
            </Button>
          )}
        </CopyButton>
      </Group>
    </div>
  )
}
