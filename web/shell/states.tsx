// What a panel shows while it loads, when it is empty, and when the API refused.

import { Alert, Button, Center, Loader, Stack, Text, ThemeIcon } from '@mantine/core'
import type { ReactNode } from 'react'
import { MarqueeError } from '../api/client.ts'
import { problemSentence } from '../words/error-words.ts'
import { t } from '../words/words.ts'
import { Icon, type IconName } from './icon.tsx'

export function Waiting({ height = '60vh' }: { height?: number | string }) {
  return (
    <Center h={height} role="status" aria-label={t('common.loading')}>
      <Loader type="dots" aria-hidden="true" />
    </Center>
  )
}

export function Unreachable({ onRetry }: { onRetry: () => void }) {
  return (
    <Center h="60vh" component="main">
      <Nothing icon="warning" title={t('common.unreachable')} about={t('common.unreachableAbout')}>
        <Button onClick={onRetry}>{t('common.retry')}</Button>
      </Nothing>
    </Center>
  )
}

interface NothingProps {
  icon: IconName
  title: string
  about?: string
  children?: ReactNode
}

export function Nothing({ icon, title, about, children }: NothingProps) {
  return (
    <Stack align="center" gap="xs" py={48} px="md" ta="center">
      <ThemeIcon variant="light" size={52} radius="xl" aria-hidden="true">
        <Icon name={icon} size={24} />
      </ThemeIcon>
      <Text fw="var(--strong)" mt={6}>
        {title}
      </Text>
      {about && (
        <Text size="sm" c="dimmed" maw={440}>
          {about}
        </Text>
      )}
      {children}
    </Stack>
  )
}

export function Refused({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  const requestId = error instanceof MarqueeError ? error.requestId : null
  return (
    <Alert color="red" icon={<Icon name="warning" />} title={t('common.refused')} role="alert">
      <Text size="sm">{problemSentence(error)}</Text>
      {requestId && (
        <Text size="xs" c="dimmed">
          {t('common.requestId', { id: requestId })}
        </Text>
      )}
      {onRetry && (
        <Button size="xs" variant="default" mt="xs" onClick={onRetry}>
          {t('common.retry')}
        </Button>
      )}
    </Alert>
  )
}
