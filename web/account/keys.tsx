// The keys with which programs act for the customer: list, create, revoke. Readers without that right only see the
// list.

import { Button, Code, Group } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Credential } from '../../src/manage/customers/credentials/contract.ts'
import { api } from '../api/client.ts'
import { campaignsQuery } from '../campaigns/data.ts'
import { Confirm } from '../form/confirm.tsx'
import { date } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { useMay } from '../session/may.ts'
import { Icon } from '../shell/icon.tsx'
import { Panel } from '../shell/panel.tsx'
import { Nothing, Refused, Waiting } from '../shell/states.tsx'
import { type SmallColumn, SmallTable } from '../table/small-table.tsx'
import { named, t } from '../words/words.ts'
import { CeilingsOf } from './ceilings-of.tsx'
import { NewKey } from './new-key.tsx'

export function Keys({ cuid }: { cuid: number }) {
  const client = useQueryClient()
  const queryKey = ['credentials', cuid]
  const keys = useQuery({ queryKey, queryFn: () => api.listCredentials({ cuid }) })
  const anew = () => client.invalidateQueries({ queryKey })
  const may = useMay()
  const [making, setMaking] = useState(false)
  // Those of programs that act for people have a panel of their own.
  const own = keys.data?.filter(({ agent }) => agent === null)
  return (
    <Panel
      title={t('keys.title')}
      about={t('keys.about')}
      actions={
        may.rights && (
          <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setMaking(true)}>
            {t('keys.make')}
          </Button>
        )
      }
    >
      {keys.isPending && <Waiting height={120} />}
      {keys.error && <Refused error={keys.error} onRetry={() => keys.refetch()} />}
      {own?.length === 0 && <Nothing icon="key" title={t('keys.none')} />}
      {own && own.length > 0 && <List cuid={cuid} keys={own} onRevoked={anew} />}
      <NewKey cuid={cuid} opened={making} onClose={() => setMaking(false)} />
    </Panel>
  )
}

interface ListProps {
  cuid: number
  keys: Credential[]
  onRevoked: () => void
}

function List({ cuid, keys, onRevoked }: ListProps) {
  const timezone = useZone()
  const may = useMay()
  const campaigns = useQuery({ ...campaignsQuery(cuid), enabled: keys.some(({ cids }) => cids !== null) })
  const names = new Map(campaigns.data?.map(({ cid, name }) => [cid, name]))
  const columns: SmallColumn<Credential>[] = [
    {
      title: t('customers.key'),
      cell: ({ name, key }) => (
        <div>
          {name !== null && <div>{name}</div>}
          <Code>{key}</Code>
        </div>
      ),
    },
    {
      title: t('keys.scope'),
      cell: pair => (
        <div>
          {named('keys.scope', pair.scope)}
          <CeilingsOf ceilings={pair.ceilings} />
        </div>
      ),
    },
    {
      title: t('shell.campaigns'),
      cell: ({ cids }) =>
        cids?.map(cid => names.get(cid) ?? String(cid)).join(', ') ?? t('keys.allCampaigns'),
    },
    { title: t('customers.created'), short: true, cell: ({ created }) => date(created, timezone) },
    { title: t('keys.createdBy'), cell: pair => makerOf(pair, keys) },
    {
      title: t('keys.lastUsed'),
      short: true,
      cell: ({ lastUsed }) => (lastUsed === null ? t('keys.never') : date(lastUsed, timezone)),
    },
    { title: t('keys.expires'), short: true, cell: ({ expires }) => date(expires, timezone) },
  ]
  if (may.rights)
    columns.push({
      title: t('keys.revoke'),
      short: true,
      cell: ({ key }) => <Revoke cuid={cuid} name={key} onRevoked={onRevoked} />,
    })
  return (
    <SmallTable label={t('keys.title')} columns={columns} rows={keys} idOf={({ key }) => key} leastPx={940} />
  )
}

/** Who created a key: a person by email, another key by its name. */
function makerOf({ createdBy, byApp }: Credential, keys: readonly Credential[]): string {
  if (byApp || createdBy === 'app') return t('shell.staff')
  if (createdBy === null) return t('keys.atSignIn')
  if (createdBy === 'console') return t('keys.inConsole')
  if (createdBy.includes('@')) return createdBy
  const maker = keys.find(({ key }) => key === createdBy)
  return t('history.byKey', { key: maker?.name ?? `${createdBy.slice(0, 12)}…` })
}

interface RevokeProps {
  cuid: number
  name: string
  onRevoked: () => void
}

function Revoke({ cuid, name, onRevoked }: RevokeProps) {
  const [asking, setAsking] = useState(false)
  const revoking = useMutation({
    mutationFn: () => api.revokeCredential({ cuid, key: name }),
    onSuccess: () => {
      setAsking(false)
      onRevoked()
    },
  })
  return (
    <Group>
      <Button
        size="xs"
        variant="default"
        aria-label={t('keys.revokeNamed', { name })}
        onClick={() => setAsking(true)}
      >
        {t('keys.revoke')}
      </Button>
      <Confirm
        opened={asking}
        title={t('keys.revokeTitle')}
        about={t('keys.revokeAbout', { name })}
        action={t('keys.revoke')}
        busy={revoking.isPending}
        error={revoking.error}
        onConfirm={() => revoking.mutate()}
        onClose={() => setAsking(false)}
      />
    </Group>
  )
}
