// Short messages in the corner: what was done, why something was refused, and for a while a button that undoes a
// deletion.

import { Button, Group, Text } from '@mantine/core'
import { Notifications, notifications } from '@mantine/notifications'
import { MarqueeError } from '../../sdk/client.ts'
import { isProposed, problemSentence } from '../words/error-words.ts'
import { t } from '../words/words.ts'

const UNDO_MS = 30_000

const done = (message: string) => {
  notifications.show({
    message,
    color: 'green',
    withBorder: true,
    closeButtonProps: { 'aria-label': t('form.close') },
  })
}
/** A change that became a proposal was not refused: it waits. */
const refused = (error: Error) => {
  if (isProposed(error)) return proposed()
  notifications.show({
    title: t('common.refused'),
    message: problemSentence(error),
    color: 'red',
    withBorder: true,
    autoClose: 10_000,
    closeButtonProps: { 'aria-label': t('form.close') },
  })
}
const proposed = () => {
  notifications.show({
    title: t('proposals.sent'),
    message: t('code.proposed'),
    withBorder: true,
    autoClose: 10_000,
    closeButtonProps: { 'aria-label': t('form.close') },
  })
}
/** For many changes: why some were refused. */
const someRefused = (reasons: readonly string[]) => {
  notifications.show({
    title: t('bulk.refused', { count: reasons.length }),
    message: [...new Set(reasons)].join(' '),
    color: 'red',
    withBorder: true,
    autoClose: 10_000,
    closeButtonProps: { 'aria-label': t('form.close') },
  })
}
/**
 * Works only once, although it can still be clicked while it disappears. It is offered again if the service could not
 * be reached.
 */
const undo = (message: string, onUndo: () => unknown) => {
  let isUsed = false
  const id = notifications.show({
    color: 'gray',
    withBorder: true,
    autoClose: UNDO_MS,
    closeButtonProps: { 'aria-label': t('form.close') },
    message: (
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Text size="sm">{message}</Text>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => {
            notifications.hide(id)
            if (isUsed) return
            isUsed = true
            Promise.resolve(onUndo()).catch(error => {
              refused(error)
              if (isUnanswered(error)) undo(message, onUndo)
            })
          }}
        >
          {t('form.undo')}
        </Button>
      </Group>
    ),
  })
}
const isUnanswered = (error: unknown) =>
  error instanceof MarqueeError && (error.status === 0 || error.status >= 500)
export const NOTICE = { done, refused, proposed, someRefused, undo }

export function Notices() {
  return <Notifications position="bottom-right" autoClose={5000} />
}
