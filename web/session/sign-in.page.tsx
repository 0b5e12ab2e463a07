// The sign-in within the console that is already loaded, as after signing out.

import { useMantineColorScheme } from '@mantine/core'
import { useRouter, useSearch } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { api } from '../api/client.ts'
import { useSpeak } from '../shell/speak.ts'
import { insideAt } from './deep-link.ts'
import { openDoor } from './door.ts'
import { type SignIn, useSession, useSessionChange } from './session.ts'

export function SignInPage() {
  const session = useSession()
  const { to } = useSearch({ from: '/sign-in' })
  const router = useRouter()
  const speak = useSpeak()
  const { setColorScheme } = useMantineColorScheme()
  const change = useSessionChange<SignIn>(body => api.signIn({ body }))
  const place = useRef<HTMLDivElement>(null)
  const options = {
    session,
    refusal: null,
    enter: (input: SignIn) => change.mutateAsync(input).then(() => router.history.push(insideAt(to))),
    onLanguage: speak,
    onScheme: setColorScheme,
  }
  // Drawn once: it has the session with which it was opened, and the session that it makes leads elsewhere.
  const first = useRef(options)
  useEffect(() => openDoor(place.current!, first.current), [])
  return <div ref={place} />
}
