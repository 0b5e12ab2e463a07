// A dialog. Its head is not a landmark, because a page has only one banner. Escape, the cross, a click outside and Back
// ask first if there is unsaved input.

import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import { t } from '../words/words.ts'
import { useOpenDialog } from './open-dialogs.ts'
import { InDialog } from './unsaved.ts'

/** A dialog closed while it is still opening would leave its overlay behind. */
const AT_ONCE = { duration: 0 }
/** Other dialogs are at 200, and what they ask at 400. */
const OVER_ALL = 500

interface DialogProps {
  opened: boolean
  title: string
  size?: string
  /** Closed only by its own buttons, for example for a secret that is shown once. */
  locked?: boolean
  /** It may have to open while another one is open, which was there before. */
  overAll?: boolean
  onClose: () => void
  children: ReactNode
}

export function Dialog({
  opened,
  title,
  size = 'md',
  locked = false,
  overAll = false,
  onClose,
  children,
}: DialogProps) {
  const [unsaved] = useState(() => new Set<object>())
  const [asking, setAsking] = useState(false)
  useFocusBack()
  const close = () => (unsaved.size > 0 ? setAsking(true) : onClose())
  const isOnTop = useOpenDialog(opened, locked ? null : close)
  return (
    <Modal.Root
      opened={opened}
      // Escape reaches all of them.
      onClose={() => isOnTop() && close()}
      size={size}
      {...(overAll && { zIndex: OVER_ALL })}
      radius="lg"
      centered
      transitionProps={AT_ONCE}
      closeOnClickOutside={!locked}
      closeOnEscape={!locked && !asking}
    >
      <Modal.Overlay />
      <Modal.Content>
        <Group justify="space-between" wrap="nowrap" align="flex-start" p="md" pb="sm">
          <Modal.Title fw="var(--strong)" lh="var(--lead-m)" style={{ overflowWrap: 'anywhere' }}>
            {title}
          </Modal.Title>
          {!locked && <Modal.CloseButton aria-label={t('form.close')} />}
        </Group>
        <Modal.Body>
          <InDialog value={unsaved}>{children}</InDialog>
        </Modal.Body>
      </Modal.Content>
      <Discard
        opened={asking}
        onStay={() => setAsking(false)}
        onDiscard={() => {
          setAsking(false)
          unsaved.clear()
          onClose()
        }}
      />
    </Modal.Root>
  )
}

/** Returns the focus even when the dialog unmounts with its page's state instead of being closed. */
function useFocusBack(): void {
  const [opener] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      window.setTimeout(() => {
        if (document.activeElement === document.body && opener instanceof HTMLElement)
          opener.focus({ preventScroll: true })
      })
    },
    [opener],
  )
}

interface DiscardProps {
  opened: boolean
  onStay: () => void
  onDiscard: () => void
}

/** Asks before typed input is discarded. */
export function Discard({ opened, onStay, onDiscard }: DiscardProps) {
  const [shown, setShown] = useState({ opened, times: 0 })
  if (shown.opened !== opened) setShown({ opened, times: shown.times + Number(opened) })
  useOpenDialog(opened, onStay)
  // A new dialog each time: one that is still closing would close again.
  return (
    <Modal.Root
      key={shown.times}
      opened={opened}
      onClose={onStay}
      radius="lg"
      centered
      size="sm"
      zIndex={400}
    >
      <Modal.Overlay />
      <Modal.Content>
        <Group p="md" pb="sm">
          <Modal.Title fw="var(--strong)">{t('form.discardTitle')}</Modal.Title>
        </Group>
        <Modal.Body>
          <Stack>
            <Text size="sm">{t('form.unsavedAbout')}</Text>
            <Group justify="flex-end">
              <Button variant="default" onClick={onStay} data-autofocus>
                {t('form.stay')}
              </Button>
              <Button color="red.9" onClick={onDiscard}>
                {t('form.discard')}
              </Button>
            </Group>
          </Stack>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}
