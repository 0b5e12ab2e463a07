// Asks before a ticket or an invitation ends someone else's session: a link sent by a stranger must not do that unnoticed.

import { Alert, Button, Paper, Stack, Text, Title } from '@mantine/core'
import { api } from '../api/client.ts'
import { BrandMark } from '../shell/brand-mark.tsx'
import { Icon } from '../shell/icon.tsx'
import { Preferences } from '../shell/preferences.tsx'
import { problemSentence } from '../words/error-words.ts'
import { t } from '../words/words.ts'
import { useSession, useSessionChange } from './session.ts'
import type { LinkSignIn } from './ticket.ts'

export function TicketQuestion({ ticket, onDone }: { ticket: LinkSignIn; onDone: () => void }) {
  const { brand, customer, app } = useSession()
  const change = useSessionChange<LinkSignIn>(given => api.signIn({ body: { ...given, replace: true } }))
  const name = customer ? `${customer.company} (${customer.email})` : (app?.name ?? '')
  return (
    <main className="sign-in">
      <Stack w="100%" maw={440} gap="lg">
        <BrandMark brand={brand} centred />
        <Paper p={{ base: 'lg', xs: 'xl' }} shadow="sm">
          <Title order={1} size="h3">
            {t('ticket.title')}
          </Title>
          <Text mt="xs">{t('ticket.signedIn', { name })}</Text>
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
        </Paper>
        <Preferences />
      </Stack>
    </main>
  )
}
