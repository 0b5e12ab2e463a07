// The page between the passcode and the console: the passkey.

import { Button } from '@mantine/core'
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { api } from '../api/client.ts'
import { usePageTitle } from '../shell/page-title.ts'
import { t } from '../words/words.ts'
import { insideAt } from './deep-link.ts'
import { Entrance } from './entrance.tsx'
import { PasskeyStep } from './passkey-step.tsx'
import { type Session, useSession, useSessionChange } from './session.ts'

export function PasskeyPage() {
  const session = useSession()
  const { level, waitsFor } = session
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
    <Entrance title={title}>
      <PasskeyStep session={session} onDone={entering.mutate} />
      <Button
        fullWidth
        variant="subtle"
        mt="sm"
        onClick={() => leaving.mutate(undefined, { onSuccess: () => navigate({ to: '/sign-in' }) })}
      >
        {t('shell.signOut')}
      </Button>
    </Entrance>
  )
}
