// Gives a webhook a new secret after a confirmation; it is shown here once and never again.

import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { Dialog } from '../form/dialog.tsx'
import { useOnce } from '../form/once.ts'
import { Secret, ShownOnce } from '../form/shown-once.tsx'
import { dateTime } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { Icon } from '../shell/icon.tsx'
import { Refused } from '../shell/states.tsx'
import { t } from '../words/words.ts'

export function NewSecret({ wid }: { wid: number }) {
  const timezone = useZone()
  const [opened, setOpened] = useState(false)
  const rotating = useMutation({ mutationFn: () => api.rotateWebhookSecret({ wid }) })
  // A second new secret would end the one that the receiver still uses.
  const rotate = useOnce(rotating.isPending, () => rotating.mutate())
  const rotated = rotating.data
  const close = () => {
    setOpened(false)
    rotating.reset()
  }
  return (
    <>
      <Button variant="default" leftSection={<Icon name="key" size={16} />} onClick={() => setOpened(true)}>
        {t('webhooks.rotate')}
      </Button>
      <Dialog
        opened={opened}
        onClose={close}
        size="lg"
        title={t(rotated ? 'webhooks.rotate' : 'webhooks.rotateTitle')}
        locked={!!rotated}
      >
        {rotated ? (
          <ShownOnce
            count={1}
            about={t('webhooks.oldUntil', { time: dateTime(rotated.oldSecretUntil, timezone) })}
            onClose={close}
          >
            <Secret label={t('webhooks.secret')} value={rotated.secret} />
          </ShownOnce>
        ) : (
          <Stack>
            <Text size="sm">{t('webhooks.rotateAbout')}</Text>
            {rotating.error && <Refused error={rotating.error} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={close} data-autofocus>
                {t('form.cancel')}
              </Button>
              <Button loading={rotating.isPending} onClick={rotate}>
                {t('webhooks.rotate')}
              </Button>
            </Group>
          </Stack>
        )}
      </Dialog>
    </>
  )
}
