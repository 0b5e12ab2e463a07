// Conversions: what to put into the advertiser's pages, a test that is not counted, and when actions last arrived.

import { Alert, Button, SimpleGrid, Stack, Table, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, apiRoot } from '../api/client.ts'
import { NoActions } from '../empty/no-actions.tsx'
import { readNumber } from '../form/number.ts'
import { NumberField } from '../form/number-field.tsx'
import { useOnce } from '../form/once.ts'
import { Snippet } from '../form/snippet.tsx'
import { currencySign, dateTime, exactMoney, integer } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { useMay } from '../session/may.ts'
import { useCuid } from '../session/session.ts'
import { useNotice } from '../shell/notice.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { Panel } from '../shell/panel.tsx'
import { Nothing, Refused, Waiting } from '../shell/states.tsx'
import { named, t } from '../words/words.ts'
import { type Conversion, countAction, KEEP_CLICK, serverCall } from './snippets.ts'

const LOOK_AGAIN_MS = 5_000

export function ConversionsPage() {
  const cuid = useCuid()
  const [name, setName] = useState('purchase')
  const [typed, setTyped] = useState('')
  const read = readNumber(typed, 2)
  // A value that cannot be read is not put into a snippet.
  const value = 'value' in read && read.value >= 0 ? String(read.value) : ''
  const conversion = { root: apiRoot, cuid, name: name.trim() || 'action', value }
  return (
    <>
      <PageHead title={t('conversions.title')} />
      <Stack gap="lg">
        <Seen cuid={cuid} conversion={conversion} />
        <Panel title={t('conversions.snippets')} about={t('conversions.snippetsAbout')}>
          <Stack>
            <SimpleGrid cols={{ base: 1, xs: 2 }} maw={560}>
              <TextInput
                label={t('conversions.name')}
                value={name}
                maxLength={100}
                onChange={event => setName(event.currentTarget.value)}
              />
              <NumberField
                label={t('conversions.value')}
                sign={currencySign()}
                decimals={2}
                show={exactMoney}
                check={value => (value < 0 ? t('error.atLeast', { min: integer(0) }) : undefined)}
                value={typed}
                onChange={setTyped}
              />
            </SimpleGrid>
            <Snippet title={t('conversions.everyPage')} text={KEEP_CLICK} />
            <Snippet title={t('conversions.lastPage')} text={countAction(conversion)} />
            <Text size="sm">{t('conversions.tryPage')}</Text>
            <Snippet title={t('conversions.server')} text={serverCall(conversion)} />
          </Stack>
        </Panel>
      </Stack>
    </>
  )
}

function Seen({ cuid, conversion }: { cuid: number; conversion: Conversion }) {
  const { name } = conversion
  const zone = useZone()
  const client = useQueryClient()
  const notice = useNotice()
  const may = useMay()
  const queryKey = ['actions', cuid]
  const seen = useQuery({
    queryKey,
    queryFn: () => api.readActions({ cuid }),
    refetchInterval: LOOK_AGAIN_MS,
  })
  const testing = useMutation({
    mutationFn: () => api.reportAction({ cuid, body: { name, test: true } }),
    onSuccess: () => client.invalidateQueries({ queryKey }),
    onError: notice.refused,
  })
  const send = useOnce(testing.isPending, () => testing.mutate())
  const test = seen.data?.test
  const sendTest = may.edit && (
    <Button loading={testing.isPending} onClick={send}>
      {t('conversions.test')}
    </Button>
  )
  if (seen.data?.actions.length === 0 && !test) {
    return <NoActions snippet={countAction(conversion)}>{sendTest}</NoActions>
  }
  return (
    <Panel title={t('conversions.seen')} about={t('conversions.seenAbout')} actions={sendTest}>
      {seen.isPending && <Waiting height={120} />}
      {seen.error && <Refused error={seen.error} onRetry={() => seen.refetch()} />}
      {test && (
        <Alert mb="md" role="status">
          {t(`conversions.tested.${test.by}`, { name: test.name, time: dateTime(test.at, zone) })}{' '}
          {test.reason === null || test.reason === 'no_credit'
            ? t('conversions.works')
            : t('conversions.wouldNot', { reason: named('reason', test.reason) })}
        </Alert>
      )}
      {seen.data?.actions.length === 0 && (
        <Nothing icon="statistics" title={t('conversions.none')} about={t('conversions.noneAbout')} />
      )}
      {seen.data && seen.data.actions.length > 0 && (
        <Table aria-label={t('conversions.seen')} maw={560}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('conversions.name')}</Table.Th>
              <Table.Th>{t('conversions.last')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {seen.data.actions.map(action => (
              <Table.Tr key={action.name}>
                <Table.Td>{action.name}</Table.Td>
                <Table.Td>{dateTime(action.last, zone)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Panel>
  )
}
