// A session that ends while a person is working: who asks for a new sign-in, and what is drawn for it.

import { Suspense, useEffect, useRef, useState } from 'react'
import { onLostSession } from '../api/session-fetch.ts'
import { lazyLater } from '../shell/later.ts'
import { useSession } from './session.ts'

const SignInDialog = lazyLater(async () => (await import('./sign-in-dialog.tsx')).SignInDialog)

export function SignInAgain() {
  const session = useSession()
  const [asked, setAsked] = useState(false)
  const waiting = useRef<((signedIn: boolean) => void)[]>([])
  const known = useRef(session)
  known.current = session
  useEffect(() => {
    onLostSession(
      () =>
        new Promise(resolve => {
          if (known.current.level === 'none') return resolve(false)
          waiting.current.push(resolve)
          setAsked(true)
        }),
    )
    return () => onLostSession(null)
  }, [])
  const [wasAsked, setWasAsked] = useState(false)
  if (asked && !wasAsked) setWasAsked(true)
  if (!wasAsked) return null
  const done = () => {
    setAsked(false)
    for (const resolve of waiting.current.splice(0)) resolve(true)
  }
  return (
    <Suspense>
      <SignInDialog asked={asked} onDone={done} />
    </Suspense>
  )
}
