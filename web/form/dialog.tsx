// A dialog. Its head is no landmark: there is one banner on a page, and that is not it.

import { Group, Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../words/words.ts'

interface DialogProps {
  opened: boolean
  title: string
  size?: string
  /** False where a click beside it would lose something. */
  closeOnClickOutside?: boolean
  onClose: () => void
  children: ReactNode
}

export function Dialog({
  opened,
  title,
  size = 'md',
  closeOnClickOutside = true,
  onClose,
  children,
}: DialogProps) {
  return (
    <Modal.Root
      opened={opened}
      onClose={onClose}
      size={size}
      radius="lg"
      centered
      closeOnClickOutside={closeOnClickOutside}
    >
      <Modal.Overlay />
      <Modal.Content>
        <Group justify="space-between" wrap="nowrap" align="flex-start" p="md" pb="sm">
          <Modal.Title fw={650} style={{ overflowWrap: 'anywhere' }}>
            {title}
          </Modal.Title>
          <Modal.CloseButton aria-label={t('form.close')} />
        </Group>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}
