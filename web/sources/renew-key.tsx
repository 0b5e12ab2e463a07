// Renews a key of a publisher, after asking which one and when the current one stops. A secret is shown here once.

import { Button, Group, Radio, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { RenewedKey } from '../../src/manage/sources/contract.ts'
import { api } from '../api/client.ts'
import { Dialog } from '../form/dialog.tsx'
import { useOnce } from '../form/once.ts'
import { ShownOnce } from '../form/shown-once.tsx'
import { Snippet } from '../form/snippet.tsx'
import { dateTime } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { Refused } from '../shell/states.tsx'
import { t } from '../words/words.ts'
import { type SeenSource, useReadAgain } from './data.ts'
import { aboutSecrets, Secrets } from './new-source.tsx'

const DAY_S = 86_400
type Which = 'key' | 'serverKey'

export function RenewKey({ source }: { source: SeenSource }) {
  const { name } = source
  const [opened, setOpened] = useState(false)
  const [renewed, setRenewed] = useState<RenewedKey | null>(null)
  const close = () => {
    setOpened(false)
    setRenewed(null)
  }
  const isSecret = renewed !== null && (renewed.secrets.serverKey ?? renewed.secrets.bidUrl) !== null
  return (
    <>
      <Button
        variant="default"
        aria-label={t('sources.renewNamed', { name })}
        onClick={() => setOpened(true)}
      >
        {t('sources.renew')}
      </Button>
      <Dialog
        opened={opened}
        onClose={close}
        size="lg"
        title={renewed ? t('sources.renewed') : t('sources.renewTitle', { name })}
        locked={isSecret}
      >
        {renewed ? (
          <Renewed renewed={renewed} isSecret={isSecret} onClose={close} />
        ) : (
          <RenewForm source={source} onRenewed={setRenewed} onClose={close} />
        )}
      </Dialog>
    </>
  )
}

interface RenewFormProps {
  source: SeenSource
  onRenewed: (renewed: RenewedKey) => void
  onClose: () => void
}

function RenewForm({ source: { sourceId, kind }, onRenewed, onClose }: RenewFormProps) {
  const [which, setWhich] = useState<Which>('key')
  const [overlap, setOverlap] = useState(DAY_S)
  const readAgain = useReadAgain()
  const renewing = useMutation({
    mutationFn: () => api.renewSourceKey({ sourceId, body: { which, overlap } }),
    onSuccess: renewed => {
      onRenewed(renewed)
      readAgain()
    },
  })
  // A second new key would end the one that pages still use.
  const renew = useOnce(renewing.isPending, () => renewing.mutate())
  return (
    <Stack>
      {kind === 'site' && (
        <Radio.Group label={t('sources.which')} value={which} onChange={next => setWhich(next as Which)}>
          <Stack gap="xs" mt={4}>
            <Radio value="key" label={t('sources.whichPages')} />
            <Radio value="serverKey" label={t('sources.whichServer')} />
          </Stack>
        </Radio.Group>
      )}
      <Radio.Group
        label={t('sources.when')}
        value={String(overlap)}
        onChange={next => setOverlap(Number(next))}
      >
        <Stack gap="xs" mt={4}>
          <Radio value={String(7 * DAY_S)} label={t('sources.afterWeek')} />
          <Radio value={String(DAY_S)} label={t('sources.afterDay')} />
          <Radio value="0" label={t('sources.atOnce')} />
        </Stack>
      </Radio.Group>
      <Text size="sm">{t(stopsOf(kind, which))}</Text>
      {renewing.error && <Refused error={renewing.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          {t('form.cancel')}
        </Button>
        <Button loading={renewing.isPending} onClick={renew}>
          {t('sources.renew')}
        </Button>
      </Group>
    </Stack>
  )
}

function stopsOf(kind: SeenSource['kind'], which: Which) {
  if (kind === 'exchange') return 'sources.stopsBid'
  return which === 'key' ? 'sources.stopsPages' : 'sources.stopsServer'
}

interface RenewedProps {
  renewed: RenewedKey
  isSecret: boolean
  onClose: () => void
}

function Renewed({ renewed: { key, secrets, oldUntil }, isSecret, onClose }: RenewedProps) {
  const timezone = useZone()
  const old =
    oldUntil === null
      ? t('sources.oldStopped')
      : t('sources.oldUntil', { time: dateTime(oldUntil, timezone) })
  if (isSecret)
    return (
      <ShownOnce count={1} about={`${aboutSecrets(secrets)} ${old}`} onClose={onClose}>
        <Secrets secrets={secrets} />
      </ShownOnce>
    )
  return (
    <Stack>
      <Snippet title={t('sources.key')} text={key ?? ''} />
      <Text size="sm">{old}</Text>
      <Group justify="flex-end">
        <Button onClick={onClose} data-autofocus>
          {t('form.close')}
        </Button>
      </Group>
    </Stack>
  )
}
