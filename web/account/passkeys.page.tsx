// The passkeys of the person who is signed in: add, and remove.

import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../api/client.ts'
import { Dialog } from '../form/dialog.tsx'
import { RemoveButton } from '../form/remove-button.tsx'
import { dateTime } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { hasPasskeys, passkeySentence, registerPasskey } from '../session/passkey.ts'
import { PasskeyName } from '../session/passkey-step.tsx'
import { Icon } from '../shell/icon.tsx'
import { useNotice } from '../shell/notice.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { Panel } from '../shell/panel.tsx'
import { Nothing, Refused, Waiting } from '../shell/states.tsx'
import { SmallTable } from '../table/small-table.tsx'
import { t } from '../words/words.ts'

const QUERY = { queryKey: ['passkeys'], queryFn: () => api.listPasskeys() }

export function PasskeysPage() {
  const zone = useZone()
  const client = useQueryClient()
  const passkeys = useQuery(QUERY)
  const [adding, setAdding] = useState(false)
  const anew = () => client.invalidateQueries({ queryKey: QUERY.queryKey })
  return (
    <>
      <PageHead title={t('passkeys.title')}>
        <Button
          leftSection={<Icon name="plus" size={16} />}
          disabled={!hasPasskeys()}
          onClick={() => setAdding(true)}
        >
          {t('passkeys.add')}
        </Button>
      </PageHead>
      <Stack gap="lg">
        {!hasPasskeys() && (
          <Alert color="yellow" icon={<Icon name="warning" />}>
            {t('passkeys.impossible')}
          </Alert>
        )}
        <Text size="sm" c="dimmed" maw={720}>
          {t('passkeys.about')}
        </Text>
        <Panel title={t('passkeys.title')}>
          {passkeys.isPending && <Waiting height={120} />}
          {passkeys.error && <Refused error={passkeys.error} onRetry={() => passkeys.refetch()} />}
          {passkeys.data?.length === 0 && <Nothing icon="key" title={t('passkeys.none')} />}
          {passkeys.data && passkeys.data.length > 0 && (
            <SmallTable
              label={t('passkeys.title')}
              columns={[
                { title: t('passkeys.name'), cell: ({ name }) => name },
                { title: t('passkeys.created'), cell: ({ created }) => dateTime(created, zone) },
                {
                  title: t('passkeys.lastUsed'),
                  cell: ({ lastUsed }) =>
                    lastUsed === null ? t('passkeys.never') : dateTime(lastUsed, zone),
                },
                {
                  title: t('passkeys.remove'),
                  cell: ({ id, name }) => (
                    <RemoveButton
                      word={t('passkeys.remove')}
                      label={t('passkeys.removeNamed', { name })}
                      title={t('passkeys.removeTitle', { name })}
                      about={t('passkeys.removeAbout')}
                      remove={() => api.removePasskey({ id })}
                      onRemoved={anew}
                    />
                  ),
                },
              ]}
              rows={passkeys.data}
              idOf={({ id }) => id}
              leastPx={560}
            />
          )}
        </Panel>
      </Stack>
      <Dialog opened={adding} title={t('passkeys.add')} onClose={() => setAdding(false)}>
        <Add
          onAdded={() => {
            setAdding(false)
            anew()
          }}
        />
      </Dialog>
    </>
  )
}

function Add({ onAdded }: { onAdded: () => void }) {
  const notice = useNotice()
  const [name, setName] = useState('')
  const registering = useMutation({
    mutationFn: () => registerPasskey(name.trim()),
    onSuccess: () => {
      notice.done(t('passkeys.added'))
      onAdded()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    registering.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <PasskeyName value={name} onChange={setName} />
        {registering.error && (
          <Alert color="red" icon={<Icon name="warning" />} role="alert">
            {passkeySentence(registering.error)}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button type="submit" loading={registering.isPending}>
            {t('passkeys.register')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
