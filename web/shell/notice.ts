// Short messages in the corner: what was done, or why it was refused.

import { notifications } from '@mantine/notifications'
import { problemSentence } from '../words/error-words.ts'
import { t } from '../words/words.ts'

const done = (message: string) => {
  notifications.show({
    message,
    color: 'green',
    withBorder: true,
    closeButtonProps: { 'aria-label': t('form.close') },
  })
}
const refused = (error: Error) => {
  notifications.show({
    title: t('common.refused'),
    message: problemSentence(error),
    color: 'red',
    withBorder: true,
    autoClose: 10_000,
    closeButtonProps: { 'aria-label': t('form.close') },
  })
}
const NOTICE = { done, refused }

export function useNotice(): typeof NOTICE {
  return NOTICE
}
