// One publisher, for the staff of an app: the code for its pages, its keys and settings. Admins of an app with the right
// can edit, check, renew and revoke it.

import { Badge, Button, Code, Group, Select, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { api, apiRoot } from '../api/client.ts'
import { Confirm } from '../form/confirm.tsx'
import { Snippet } from '../form/snippet.tsx'
import { dateTime, money } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { NotFound } from '../shell/not-found.tsx'
import { useNotice } from '../shell/notice.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { Panel } from '../shell/panel.tsx'
import { Refused, Waiting } from '../shell/states.tsx'
import { t } from '../words/words.ts'
import { PlacesSaid } from './attribute-places.tsx'
import { type SeenSource, sourcesQuery, useMayManage, useReadAgain } from './data.ts'
import { DomainCheck } from './domain-check.tsx'
import { EditSource } from './edit-source.tsx'
import { RenewKey } from './renew-key.tsx'
import { frameTag, scriptTag, serverCall } from './snippets.ts'
import { Terms } from './terms.tsx'

const SIZES = ['300x250', '728x90', '320x50', '160x600', '300x600', '970x250']

export function SourcePage() {
  const { sourceId } = useParams({ from: '/inside/app/sources/$sourceId' })
  const sources = useQuery(sourcesQuery)
  const mayManage = useMayManage()
  if (sources.isPending) return <Waiting />
  if (!sources.data) return <Refused error={sources.error} onRetry={() => sources.refetch()} />
  const source = sources.data.find(one => one.sourceId === sourceId)
  if (!source) return <NotFound />
  const { name, kind, today, key } = source
  return (
    <>
      <PageHead
        title={name}
        badge={<Badge variant="default">{t(`sources.${kind}`)}</Badge>}
        crumbs={[{ name: t('sources.title'), to: '/sources' }]}
      >
        {mayManage && (
          <>
            <EditSource source={source} />
            <RenewKey source={source} />
            <RevokeSource source={source} />
          </>
        )}
      </PageHead>
      <Stack gap="lg">
        <Text size="sm" c="dimmed">
          {t('sources.today', { count: today.imps, spend: money(today.spend) })}
        </Text>
        <Settings source={source} />
        {key !== null && <Tags source={source} siteKey={key} />}
      </Stack>
    </>
  )
}

function Settings({ source }: { source: SeenSource }) {
  const { kind, domain, key, billsOn, allowsCpc, serverKey, oldKeyUntil } = source
  const timezone = useZone()
  return (
    <Panel title={t('sources.settings')}>
      <Stack gap="sm">
        {domain !== null && <DomainCheck source={{ ...source, domain }} />}
        <Text size="sm">{t(`sources.${billsOn}`)}</Text>
        {kind === 'exchange' && <Text size="sm">{t(allowsCpc ? 'sources.cpc' : 'sources.noCpc')}</Text>}
        <Terms source={source} />
        <PlacesSaid places={source.attributes} />
        {oldKeyUntil !== null && (
          <Text size="sm">{t('sources.oldKeyUntil', { time: dateTime(oldKeyUntil, timezone) })}</Text>
        )}
        {key === null ? (
          <Text size="sm">{t('sources.bidUrl')}</Text>
        ) : (
          <>
            <Group gap="xs">
              <Text size="sm" fw="var(--strong)">
                {t('sources.key')}
              </Text>
              <Code>{key}</Code>
            </Group>
            <Text size="sm">{t(serverKey ? 'sources.serverKey' : 'sources.noServerKey')}</Text>
          </>
        )}
      </Stack>
    </Panel>
  )
}

function Tags({ source: { domain }, siteKey }: { source: SeenSource; siteKey: string }) {
  const [size, setSize] = useState(SIZES[0]!)
  return (
    <Panel
      title={t('sources.code')}
      actions={
        <Select
          aria-label={t('sources.size')}
          allowDeselect={false}
          value={size}
          data={SIZES}
          onChange={next => next && setSize(next)}
        />
      }
    >
      <Stack gap="sm">
        <Snippet title={t('sources.tag')} text={scriptTag(apiRoot, siteKey, size)} />
        <Snippet title={t('sources.frame')} text={frameTag(apiRoot, siteKey, size)} />
        <Snippet title={t('sources.server')} text={serverCall(apiRoot, domain ?? '', size)} />
      </Stack>
    </Panel>
  )
}

/** Revokes a publisher, after saying what stops. */
function RevokeSource({ source: { sourceId, kind, name } }: { source: SeenSource }) {
  const [asking, setAsking] = useState(false)
  const readAgain = useReadAgain()
  const notice = useNotice()
  const navigate = useNavigate()
  const revoking = useMutation({
    mutationFn: () => api.deleteSource({ sourceId }),
    onSuccess: async () => {
      await navigate({ to: '/sources' })
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
