// Publisher help, for the staff of an app: each site and exchange, what to put into its pages, what it showed today.

import { Badge, Code, Group, Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { SeenSource } from '../../src/sources/contract.ts'
import { api, apiRoot } from '../api/client.ts'
import { Snippet } from '../form/snippet.tsx'
import { money } from '../format/format.ts'
import { PageHead } from '../shell/page-head.tsx'
import { Panel } from '../shell/panel.tsx'
import { Nothing, Refused, Waiting } from '../shell/states.tsx'
import { t } from '../words/words.ts'
import { frameTag, scriptTag, serverCall } from './snippets.ts'

const SIZES = ['300x250', '728x90', '320x50', '160x600', '300x600', '970x250']
const LOOK_AGAIN_MS = 60_000

export function SourcesPage() {
  const sources = useQuery({
    queryKey: ['sources'],
    queryFn: () => api.listSources(),
    refetchInterval: LOOK_AGAIN_MS,
  })
  const [size, setSize] = useState(SIZES[0]!)
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
      </PageHead>
      <Stack gap="lg">
        <Text size="sm" c="dimmed">
          {t('sources.about')}
        </Text>
        {sources.isPending && <Waiting height={300} />}
        {sources.error && <Refused error={sources.error} onRetry={() => sources.refetch()} />}
        {sources.data?.length === 0 && (
          <Nothing icon="globe" title={t('sources.none')} about={t('sources.noneAbout')} />
        )}
        {sources.data?.map(source => (
          <One key={source.sourceId} source={source} size={size} />
        ))}
      </Stack>
    </>
  )
}

function One({ source, size }: { source: SeenSource; size: string }) {
  const { name, kind, domain, key, billsOn, allowsCpc, serverKey, today } = source
  return (
    <Panel
      title={name}
      about={t('sources.today', { count: today.imps, spend: money(today.spend) })}
      actions={<Badge variant="default">{t(`sources.${kind}`)}</Badge>}
    >
      <Stack gap="sm">
        {domain && <Text size="sm">{domain}</Text>}
        <Text size="sm">{t(`sources.${billsOn}`)}</Text>
        {kind === 'exchange' && (
          <Text size="sm">{allowsCpc ? t('sources.cpc') : t('sources.noCpc', { name })}</Text>
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
            <Snippet title={t('sources.tag')} text={scriptTag(apiRoot, key, size)} />
            <Snippet title={t('sources.frame')} text={frameTag(apiRoot, key, size)} />
            <Snippet title={t('sources.server')} text={serverCall(apiRoot, domain ?? '', size)} />
            <Text size="sm">{t(serverKey ? 'sources.serverKey' : 'sources.noServerKey')}</Text>
          </>
        )}
      </Stack>
    </Panel>
  )
}
