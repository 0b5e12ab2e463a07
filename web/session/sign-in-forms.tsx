// The two forms to sign in again: by email and passcode, and by super key and token.

import { Anchor, Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../api/client.ts'
import { problemSentence } from '../words/error-words.ts'
import { t } from '../words/words.ts'
import { appInAddress } from './deep-link.ts'
import type { SignIn } from './session.ts'

interface FormProps {
  /** Already known when signing in again. */
  email?: string
  busy: boolean
  onEnter: (input: SignIn) => void
}

export function PasscodeForm({ email: known = '', busy, onEnter }: FormProps) {
  const [email, setEmail] = useState(known)
  const [passcode, setPasscode] = useState('')
  const sending = useMutation({
    mutationFn: (address: string) => api.requestPasscode({ body: { email: address, app: appInAddress } }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (sending.isSuccess)
      onEnter({
        email: email.trim(),
        passcode: passcode.replaceAll(/\s/g, ''),
        request: sending.data.request,
        app: appInAddress,
      })
    else sending.mutate(email.trim())
  }
  return (
    <Stack component="form" gap="md" onSubmit={submit}>
      <TextInput
        label={t('signIn.email')}
        type="email"
        required
        autoComplete="email"
        value={email}
        error={sending.error ? problemSentence(sending.error) : undefined}
        onChange={event => {
          setEmail(event.currentTarget.value)
          sending.reset()
        }}
      />
      {sending.isSuccess && (
        <TextInput
          label={t('signIn.passcode')}
          description={t('session.passcodeSent', { email: email.trim() })}
          inputMode="numeric"
          autoComplete="one-time-code"
          pattern="[0-9\s]*"
          required
          data-autofocus
          autoFocus
          value={passcode}
          onChange={event => setPasscode(event.currentTarget.value)}
        />
      )}
      <Button type="submit" fullWidth loading={busy || sending.isPending}>
        {t(sending.isSuccess ? 'signIn.enter' : 'signIn.sendPasscode')}
      </Button>
      {sending.isSuccess && (
        <Anchor
          component="button"
          type="button"
          size="sm"
          underline="always"
          onClick={() => sending.mutate(email.trim())}
        >
          {t('signIn.sendAgain')}
        </Anchor>
      )}
    </Stack>
  )
}

export function StaffForm({ busy, onEnter }: FormProps) {
  const [superkey, setKey] = useState('')
  const [supertoken, setToken] = useState('')
  return (
    <Stack
      component="form"
      gap="md"
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        onEnter({ superkey: superkey.trim(), supertoken: supertoken.trim() })
      }}
    >
      <TextInput
        label={t('signIn.superkey')}
        required
        autoComplete="username"
        value={superkey}
        onChange={event => setKey(event.currentTarget.value)}
      />
      <PasswordInput
        label={t('signIn.supertoken')}
        required
        autoComplete="current-password"
        value={supertoken}
        onChange={event => setToken(event.currentTarget.value)}
      />
      <Button type="submit" fullWidth loading={busy}>
        {t('signIn.enter')}
      </Button>
    </Stack>
  )
}
