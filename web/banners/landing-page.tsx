// Where a click on the banner leads: the finished address, what the daily check found there, and a check at once.

import { Alert, Button, Group, List, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { dateTime } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { useMay } from '../session/may.ts'
import { Icon } from '../shell/icon.tsx'
import { useNotice } from '../shell/notice.tsx'
import { Panel } from '../shell/panel.tsx'
import { fieldSentence } from '../words/error-words.ts'
import { t } from '../words/words.ts'
import type { Banner } from './data.ts'

export function LandingPage({ cuid, banner }: { cuid: number; banner: Banner }) {
  const { cid, pid, bid, landingUrl } = banner
  const client = useQueryClient()
  const notice = useNotice()
  const may = useMay()
  // Another address is another page.
  const queryKey = ['landing page', cuid, bid, landingUrl]
  const page = useQuery({ queryKey, queryFn: () => api.readLandingPage({ cuid, cid, pid, bid }) })
  const checking = useMutation({
    mutationFn: () => api.checkLandingPage({ cuid, cid, pid, bid }),
    onSuccess: found => {
      client.setQueryData(queryKey, found)
      client.invalidateQueries({ queryKey: ['issues', cuid] })
      if (found.findings.length === 0) notice.done(t('banners.landingChecked'))
    },
    onError: notice.refused,
  })
  if (landingUrl === null) {
    return (
      <Panel title={t('banners.landing')}>
        <Text size="sm">{t('banners.landingNowhere')}</Text>
      </Panel>
    )
  }
  return (
    <Panel title={t('banners.landing')}>
      <Stack gap="sm">
        <Text size="sm" component="div" style={{ overflowWrap: 'anywhere' }}>
          <a href={landingUrl} target="_blank" rel="noreferrer" className="link">
            {landingUrl}
          </a>
        </Text>
        {page.data && <Found page={page.data} />}
        {may.edit && (
          <Group>
            <Button variant="default" loading={checking.isPending} onClick={() => checking.mutate()}>
              {t('banners.landingCheck')}
            </Button>
          </Group>
        )}
      </Stack>
    </Panel>
  )
}

type Found = Awaited<ReturnType<typeof api.readLandingPage>>

function Found({ page: { checked, brokenSince, findings } }: { page: Found }) {
  const timezone = useZone()
  if (checked === null) {
    return (
      <Text size="sm" c="dimmed">
        {t('banners.landingUnchecked')}
      </Text>
    )
  }
  if (findings.length === 0) {
    return (
      <Text size="sm" c="dimmed" role="status">
        {t('banners.landingFine', { time: dateTime(checked, timezone) })}
      </Text>
    )
  }
  const time = dateTime(brokenSince ?? checked, timezone)
  return (
    <Alert
      color="yellow"
      icon={<Icon name="warning" />}
      role="alert"
      title={t('banners.landingWrong', { time })}
    >
      <List size="sm">
        {findings.map(finding => (
          <List.Item key={finding.code}>{fieldSentence(finding, timezone)}</List.Item>
        ))}
      </List>
    </Alert>
  )
}
