// The keys with which programs act for the customer: list, create, revoke. A new token is shown once.

import { Button, Code, Group, Radio, Stack, Table, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { SCOPES, type Scope } from '../../src/customers/credentials/contract.ts'
import { api, newIdempotencyKey } from '../api/client.ts'
import { Confirm } from '../form/confirm.tsx'
import { Dialog } from '../form/dialog.tsx'
import { useOnce } from '../form/once.ts'
import { Secret, ShownOnce } from '../form/shown-once.tsx'
import { date } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { Icon } from '../shell/icon.tsx'
import { useNotice } from '../shell/notice.tsx'
import { Panel } from '../shell/panel.tsx'
import { Nothing, Refused, Waiting } from '../shell/states.tsx'
import { named, t } from '../words/words.ts'

export function Keys({ cuid }: { cuid: number }) {
  const timezone = useZone()
  const client = useQueryClient()
  const queryKey = ['credentials', cuid]
  const keys = useQuery({ queryKey, queryFn: () => api.listCredentials({ cuid }) })
  const anew = () => client.invalidateQueries({ queryKey })
  const notice = useNotice()
  const making = useMutation({
    mutationFn: (body: { name: string | null; scope: Scope }) =>
      api.createCredential({ cuid, body }, { idempotencyKey: newIdempotencyKey() }),
    onSuccess: () => {
      setAsking(false)
      return anew()
    },
    onError: notice.refused,
  })
  const [asking, setAsking] = useState(false)
  return (
    <Panel
      title={t('keys.title')}
      about={t('keys.about')}
      actions={
        <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setAsking(true)}>
          {t('keys.make')}
        </Button>
      }
    >
      {keys.isPending && <Waiting height={120} />}
      {keys.error && <Refused error={keys.error} onRetry={() => keys.refetch()} />}
      {keys.data?.length === 0 && <Nothing icon="key" title={t('keys.none')} />}
      {keys.data && keys.data.length > 0 && (
        <Table.ScrollContainer minWidth={760}>
          <Table aria-label={t('keys.title')}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('keys.name')}</Table.Th>
                <Table.Th>{t('customers.key')}</Table.Th>
                <Table.Th>{t('keys.scope')}</Table.Th>
                <Table.Th>{t('customers.created')}</Table.Th>
                <Table.Th>{t('keys.lastUsed')}</Table.Th>
                <Table.Th>{t('keys.expires')}</Table.Th>
                <Table.Th>{t('keys.revoke')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {keys.data.map(({ key, name, scope, cids, created, expires, lastUsed }) => (
                <Table.Tr key={key}>
                  <Table.Td>{name}</Table.Td>
                  <Table.Td>
                    <Code>{key}</Code>
                  </Table.Td>
                  <Table.Td>
                    {named('keys.scope', scope)}
                    {cids && ` (${t('keys.cids', { count: cids.length })})`}
                  </Table.Td>
                  <Table.Td>{date(created, timezone)}</Table.Td>
                  <Table.Td>{lastUsed === null ? t('keys.never') : date(lastUsed, timezone)}</Table.Td>
                  <Table.Td>{date(expires, timezone)}</Table.Td>
                  <Table.Td>
                    <Revoke cuid={cuid} name={key} onRevoked={anew} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      <Dialog opened={asking} title={t('keys.make')} onClose={() => setAsking(false)}>
        <NewKey busy={making.isPending} onMake={body => making.mutate(body)} />
      </Dialog>
      <Dialog opened={!!making.data} locked size="lg" title={t('keys.make')} onClose={() => making.reset()}>
        {making.data && (
          <ShownOnce count={2} onClose={() => making.reset()}>
            <Secret label={t('customers.key')} value={making.data.key} />
            <Secret label={t('customers.token')} value={making.data.token} />
          </ShownOnce>
        )}
      </Dialog>
    </Panel>
  )
}

interface NewKeyProps {
  busy: boolean
  onMake: (body: { name: string | null; scope: Scope }) => void
}

/** What it is for, and how much it may do. */
function NewKey({ busy, onMake }: NewKeyProps) {
  const [name, setName] = useState('')
  const [scope, setScope] = useState<Scope>('all')
  const make = useOnce(busy, () => onMake({ name: name.trim() || null, scope }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    make()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={t('keys.name')}
          description={t('keys.nameAbout')}
          maxLength={100}
          value={name}
          onChange={event => setName(event.currentTarget.value)}
        />
        <Radio.Group label={t('keys.scope')} value={scope} onChange={value => setScope(value as Scope)}>
          <Stack gap="xs" mt="xs">
            {SCOPES.map(value => (
              <Radio key={value} value={value} label={named('keys.scope', value)} />
            ))}
          </Stack>
        </Radio.Group>
        <Group justify="flex-end">
          <Button type="submit" loading={busy}>
            {t('keys.create')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
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
