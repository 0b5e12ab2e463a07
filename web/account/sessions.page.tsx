// Where the person is signed in: each browser, when its session began and was last used, and a way to end it.

import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { Confirm } from '../form/confirm.tsx'
import { RemoveButton } from '../form/remove-button.tsx'
import { dateTime } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { useNotice } from '../shell/notice.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { Panel } from '../shell/panel.tsx'
import { Refused, Waiting } from '../shell/states.tsx'
import { SmallTable } from '../table/small-table.tsx'
import { t } from '../words/words.ts'

const QUERY = { queryKey: ['sessions'], queryFn: () => api.listSessions() }

export function SessionsPage() {
  const zone = useZone()
  const client = useQueryClient()
  const notice = useNotice()
  const sessions = useQuery(QUERY)
  const anew = () => client.invalidateQueries({ queryKey: QUERY.queryKey })
  const left = () => {
    notice.done(t('sessions.ended'))
    return anew()
  }
  const nameOf = (browser: string | null) => browser ?? t('sessions.unknown')
  return (
    <>
      <PageHead title={t('sessions.title')}>
        {sessions.data?.some(({ isThis }) => !isThis) && <Others onEnded={anew} />}
      </PageHead>
      <Stack gap="lg">
        <Text size="sm" c="dimmed" maw={720}>
          {t('sessions.about')}
        </Text>
        <Panel title={t('sessions.list')}>
          {sessions.isPending && <Waiting height={120} />}
          {sessions.error && <Refused error={sessions.error} onRetry={() => sessions.refetch()} />}
          {sessions.data && (
            <SmallTable
              label={t('sessions.list')}
              columns={[
                {
                  title: t('sessions.browser'),
                  cell: ({ browser, isThis }) => (
                    <Group gap="xs">
                      {nameOf(browser)}
                      {isThis && <Badge variant="default">{t('sessions.this')}</Badge>}
                    </Group>
                  ),
                },
                { title: t('sessions.began'), cell: ({ created }) => dateTime(created, zone) },
                { title: t('sessions.lastUsed'), cell: ({ lastUsed }) => dateTime(lastUsed, zone) },
                {
                  title: t('shell.signOut'),
                  cell: ({ id, browser, created, isThis }) =>
                    isThis ? null : (
                      <RemoveButton
                        word={t('shell.signOut')}
                        label={t('sessions.endNamed', {
                          name: nameOf(browser),
                          when: dateTime(created, zone),
                        })}
                        title={t('sessions.endTitle', { name: nameOf(browser) })}
                        about={t('sessions.endAbout')}
                        remove={() => api.endSession({ id })}
                        onRemoved={left}
                      />
                    ),
                },
              ]}
              rows={sessions.data}
              idOf={({ id }) => id}
              leastPx={560}
            />
          )}
        </Panel>
      </Stack>
    </>
  )
}

function Others({ onEnded }: { onEnded: () => void }) {
  const notice = useNotice()
  const [asking, setAsking] = useState(false)
  const ending = useMutation({
    mutationFn: () => api.endOtherSessions(),
    onSuccess: ({ ended }) => {
      setAsking(false)
      notice.done(t('sessions.othersEnded', { count: ended }))
      onEnded()
    },
  })
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        {t('sessions.endOthers')}
      </Button>
      <Confirm
        opened={asking}
        title={t('sessions.endOthersTitle')}
        about={t('sessions.endAbout')}
        action={t('sessions.endOthers')}
        busy={ending.isPending}
        error={ending.error}
        onConfirm={() => ending.mutate()}
        onClose={() => setAsking(false)}
      />
    </>
  )
}
