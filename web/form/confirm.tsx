// Asks before something is deleted or stopped, and says what is lost with it.

import { Button, Group, Stack, Text } from '@mantine/core'
import { Refused } from '../shell/states.tsx'
import { t } from '../words/words.ts'
import { Dialog } from './dialog.tsx'
import { useOnce } from './once.ts'

interface ConfirmProps {
  opened: boolean
  title: string
  about: string
  action: string
  /** The text of the other button. */
  cancel?: string
  busy: boolean
  error: Error | null
  onConfirm: () => void
  onClose: () => void
}

export function Confirm(props: ConfirmProps) {
  const { opened, title, about, action, cancel, busy, error, onClose } = props
  const onConfirm = useOnce(busy, props.onConfirm)
  return (
    <Dialog opened={opened} onClose={onClose} title={title}>
      <Stack>
        <Text size="sm">{about}</Text>
        {error && <Refused error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {cancel ?? t('form.cancel')}
          </Button>
          <Button color="red.9" loading={busy} onClick={onConfirm}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
