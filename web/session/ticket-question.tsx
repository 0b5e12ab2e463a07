// Asks before a ticket or an invitation ends someone else's session: a link sent by a stranger must not do that unnoticed.

import { Alert, Button, Stack, Text } from '@mantine/core'
import { api } from '../api/client.ts'
import { Icon } from '../shell/icon.tsx'
import { problemSentence } from '../words/error-words.ts'
import { t } from '../words/words.ts'
import { Entrance } from './entrance.tsx'
import { useSession, useSessionChange } from './session.ts'
import type { LinkSignIn } from './ticket.ts'

export function TicketQuestion({ ticket, onDone }: { ticket: LinkSignIn; onDone: () => void }) {
  const { customer, app } = useSession()
  const change = useSessionChange<LinkSignIn>(given => api.signIn({ body: { ...given, replace: true } }))
  const name = customer ? `${customer.company} (${customer.email})` : (app?.name ?? '')
  return (
    <Entrance title={t('ticket.title')}>
      <Text>{t('ticket.signedIn', { name })}</Text>
      <Text mt="xs" mb="lg" c="dimmed" size="sm">
        {t('ticket.about')}
      </Text>
      {change.error && (
        <Alert color="red" mb="md" icon={<Icon name="warning" />} role="alert">
          {problemSentence(change.error)}
        </Alert>
      )}
      <Stack gap="sm">
        <Button fullWidth onClick={onDone} disabled={change.isPending}>
          {t('ticket.stay')}
        </Button>
        <Button
          fullWidth
          variant="default"
          loading={change.isPending}
          disabled={change.isError}
          onClick={() => change.mutate(ticket, { onSuccess: onDone })}
        >
          {t('ticket.replace')}
        </Button>
      </Stack>
    </Entrance>
  )
}
