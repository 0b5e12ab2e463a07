// Whether the domain of a site is confirmed, and a button that checks it.

import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { dateTime } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { Icon } from '../shell/icon.tsx'
import { useNotice } from '../shell/notice.tsx'
import { fieldSentence } from '../words/error-words.ts'
import { t } from '../words/words.ts'
import { type SeenSource, useMayManage, useReadAgain } from './data.ts'

export function DomainCheck({ source }: { source: SeenSource & { domain: string } }) {
  const { sourceId, name, domain, checked } = source
  const timezone = useZone()
  const readAgain = useReadAgain()
  const notice = useNotice()
  const mayManage = useMayManage()
  const checking = useMutation({
    mutationFn: () => api.checkSource({ sourceId }),
    onSuccess: async ({ finding }) => {
      await readAgain()
      if (!finding) notice.done(t('sources.checkDone', { domain }))
    },
    onError: notice.refused,
  })
  const finding = checking.data?.finding
  const isOpen = checked === null && mayManage
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Text size="sm" fw="var(--strong)">
          {domain}
        </Text>
        <Text size="sm" c="dimmed">
          {checked === null
            ? t('sources.unchecked')
            : t('sources.checked', { time: dateTime(checked, timezone) })}
        </Text>
        {mayManage && (
          <Button
            variant="default"
            loading={checking.isPending}
            aria-label={t('sources.checkNamed', { name })}
            onClick={() => checking.mutate()}
          >
            {t('sources.check')}
          </Button>
        )}
      </Group>
      {isOpen && (
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {t('sources.checkAbout', { domain })}
        </Text>
      )}
      {finding && (
        <Alert color="yellow" icon={<Icon name="warning" />} role="alert">
          {fieldSentence(finding)}
        </Alert>
      )}
    </Stack>
  )
}
