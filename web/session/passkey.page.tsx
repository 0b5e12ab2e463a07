// Between the passcode and the console: the passkey.

import { Button, Paper, Stack, Title } from '@mantine/core'
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { api } from '../api/client.ts'
import { BrandMark } from '../shell/brand-mark.tsx'
import { usePageTitle } from '../shell/page-title.ts'
import { Preferences } from '../shell/preferences.tsx'
import { t } from '../words/words.ts'
import { insideAt } from './deep-link.ts'
import { PasskeyStep } from './passkey-step.tsx'
import { type Session, useSession, useSessionChange } from './session.ts'

export function PasskeyPage() {
  const session = useSession()
  const { level, waitsFor, brand } = session
  const { to } = useSearch({ from: '/passkey' })
  const router = useRouter()
  const navigate = useNavigate()
  const entering = useSessionChange<Session>(async next => next)
  const leaving = useSessionChange<void>(() => api.signOut())
  const title = t(waitsFor === 'new_passkey' ? 'passkeys.wantedTitle' : 'passkeys.askTitle')
  usePageTitle(title)
  const isDone = level !== 'none' && waitsFor === null
  useEffect(() => {
    if (isDone) router.history.replace(insideAt(to))
  }, [isDone, router, to])
  return (
    <main className="sign-in">
      <Stack w="100%" maw={440} gap="lg">
        <BrandMark brand={brand} centred />
        <Paper p={{ base: 'lg', xs: 'xl' }} shadow="sm">
          <Title order={1} size="h3" mb="xs">
            {title}
          </Title>
          <PasskeyStep session={session} onDone={entering.mutate} />
          <Button
            fullWidth
            variant="subtle"
            mt="sm"
            onClick={() => leaving.mutate(undefined, { onSuccess: () => navigate({ to: '/sign-in' }) })}
          >
            {t('shell.signOut')}
          </Button>
        </Paper>
        <Preferences />
      </Stack>
    </main>
  )
}
