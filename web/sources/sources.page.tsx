// The publishers, for the staff of an app: each site and exchange, the code for its pages, and its impressions today.
// Admins of an app with the right can add, edit, check, renew and revoke them.

import { Badge, Button, Code, Group, Select, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, apiRoot } from '../api/client.ts'
import { Confirm } from '../form/confirm.tsx'
import { Snippet } from '../form/snippet.tsx'
import { dateTime, money } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { Icon } from '../shell/icon.tsx'
import { useNotice } from '../shell/notice.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { Panel } from '../shell/panel.tsx'
import { Nothing, Refused, Waiting } from '../shell/states.tsx'
import { t } from '../words/words.ts'
import { type SeenSource, sourcesQuery, useMayManage, useReadAgain } from './data.ts'
import { DomainCheck } from './domain-check.tsx'
import { EditSource } from './edit-source.tsx'
import { NewSource } from './new-source.tsx'
import { RenewKey } from './renew-key.tsx'
import { frameTag, scriptTag, serverCall } from './snippets.ts'

const SIZES = ['300x250', '728x90', '320x50', '160x600', '300x600', '970x250']

export function SourcesPage() {
  const sources = useQuery(sourcesQuery)
  const [size, setSize] = useState(SIZES[0]!)
  const [adding, setAdding] = useState(false)
  const mayManage = useMayManage()
  return (
    <>
      <PageHead title={t('sources.title')}>
        <Select
          aria-label={t('sources.size')}
          allowDeselect={false}
          value={size}
          data={SIZES}
          onChange={next => next && setSize(next)}
        />
        {mayManage && (
          <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setAdding(true)}>
            {t('sources.new')}
          </Button>
        )}
      </PageHead>
      <Stack gap="lg">
        <Text size="sm" c="dimmed">
          {t(mayManage ? 'sources.about' : 'sources.byOperator')}
        </Text>
        {sources.isPending && <Waiting height={300} />}
        {sources.error && <Refused error={sources.error} onRetry={() => sources.refetch()} />}
        {sources.data?.length === 0 && (
          <Nothing
            icon="globe"
            title={t('sources.none')}
            about={t(mayManage ? 'sources.noneAbout' : 'sources.noneByOperator')}
          />
        )}
        {sources.data?.map(source => (
          <One key={source.sourceId} source={source} size={size} />
        ))}
      </Stack>
      <NewSource opened={adding} onClose={() => setAdding(false)} />
    </>
  )
}

function One({ source, size }: { source: SeenSource; size: string }) {
  const { name, kind, domain, key, billsOn, allowsCpc, serverKey, oldKeyUntil, today } = source
  const timezone = useZone()
  const mayManage = useMayManage()
  return (
    <Panel
      title={name}
      about={t('sources.today', { count: today.imps, spend: money(today.spend) })}
      actions={
        <>
          <Badge variant="default">{t(`sources.${kind}`)}</Badge>
          {mayManage && (
            <>
              <EditSource source={source} />
              <RenewKey source={source} />
              <RevokeSource source={source} />
            </>
          )}
        </>
      }
    >
      <Stack gap="sm">
        {domain !== null && <DomainCheck source={{ ...source, domain }} />}
        <Text size="sm">{t(`sources.${billsOn}`)}</Text>
        {kind === 'exchange' && <Text size="sm">{t(allowsCpc ? 'sources.cpc' : 'sources.noCpc')}</Text>}
        {oldKeyUntil !== null && (
          <Text size="sm">{t('sources.oldKeyUntil', { time: dateTime(oldKeyUntil, timezone) })}</Text>
        )}
        {key === null && <Text size="sm">{t('sources.bidUrl')}</Text>}
        {key !== null && (
          <>
            <Group gap="xs">
              <Text size="sm" fw="var(--strong)">
                {t('sources.key')}
              </Text>
              <Code>{key}</Code>
            </Group>
            <Snippet title={t('sources.tag')} of={name} text={scriptTag(apiRoot, key, size)} />
            <Snippet title={t('sources.frame')} of={name} text={frameTag(apiRoot, key, size)} />
            <Snippet title={t('sources.server')} of={name} text={serverCall(apiRoot, domain ?? '', size)} />
            <Text size="sm">{t(serverKey ? 'sources.serverKey' : 'sources.noServerKey')}</Text>
          </>
        )}
      </Stack>
    </Panel>
  )
}

/** Revokes a publisher, after saying what stops. */
function RevokeSource({ source: { sourceId, kind, name } }: { source: SeenSource }) {
  const [asking, setAsking] = useState(false)
  const readAgain = useReadAgain()
  const notice = useNotice()
  const revoking = useMutation({
    mutationFn: () => api.deleteSource({ sourceId }),
    onSuccess: async () => {
      setAsking(false)
      notice.done(t('sources.revoked', { name }))
      await readAgain()
    },
  })
  return (
    <>
      <Button
        variant="default"
        aria-label={t('sources.revokeNamed', { name })}
        onClick={() => setAsking(true)}
      >
        {t('sources.revoke')}
      </Button>
      <Confirm
        opened={asking}
        title={t('sources.revokeTitle', { name })}
        about={t(kind === 'site' ? 'sources.revokeSite' : 'sources.revokeExchange')}
        action={t('sources.revoke')}
        busy={revoking.isPending}
        error={revoking.error}
        onConfirm={() => revoking.mutate()}
        onClose={() => setAsking(false)}
      />
    </>
  )
}
