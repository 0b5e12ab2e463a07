// Sign-in: by e-mail and passcode for customers, by super key and token for an app's staff.

import { Alert, Anchor, Button, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api } from '../api/client.ts'
import { BrandMark } from '../shell/brand-mark.tsx'
import { Icon } from '../shell/icon.tsx'
import { Preferences } from '../shell/preferences.tsx'
import { t } from '../words/words.ts'
import { appInAddress, type SignIn, useSession, useSessionChange } from './session.ts'
import { ticketRefusal } from './ticket.ts'

export function SignInPage() {
  const { brand, passcodes } = useSession()
  const [staff, setStaff] = useState(!passcodes)
  const navigate = useNavigate()
  const change = useSessionChange<SignIn>(body => api.signIn({ body }))
  const enter = (input: SignIn) => change.mutate(input, { onSuccess: () => navigate({ to: '/' }) })
  const refusal = change.error?.message ?? (change.isIdle ? ticketRefusal() : null)
  return (
    <main className="sign-in">
      <Stack w="100%" maw={400} gap="lg">
        <BrandMark brand={brand} centred />
        <Paper p={{ base: 'lg', xs: 'xl' }} shadow="sm">
          <Title order={1} size="h3">
            {t(staff ? 'signIn.staffTitle' : 'signIn.title')}
          </Title>
          <Text size="sm" c="dimmed" mt={4} mb="lg">
            {t(staff ? 'signIn.staffAbout' : 'signIn.about')}
          </Text>
          {refusal && (
            <Alert color="red" mb="md" icon={<Icon name="warning" />} role="alert">
              {refusal}
            </Alert>
          )}
          {staff ? (
            <StaffForm busy={change.isPending} onEnter={enter} />
          ) : (
            <PasscodeForm busy={change.isPending} onEnter={enter} />
          )}
          {passcodes && (
            <Anchor
              component="button"
              type="button"
              size="sm"
              mt="lg"
              underline="always"
              onClick={() => {
                change.reset()
                setStaff(!staff)
              }}
            >
              {t(staff ? 'signIn.asCustomer' : 'signIn.asStaff')}
            </Anchor>
          )}
        </Paper>
        <Preferences />
      </Stack>
    </main>
  )
}

interface FormProps {
  busy: boolean
  onEnter: (input: SignIn) => void
}

function PasscodeForm({ busy, onEnter }: FormProps) {
  const [email, setEmail] = useState('')
  const [passcode, setPasscode] = useState('')
  const sending = useMutation({
    mutationFn: (address: string) => api.requestPasscode({ body: { email: address, app: appInAddress } }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (sending.isSuccess)
      onEnter({ email: email.trim(), passcode: passcode.replaceAll(' ', ''), app: appInAddress })
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
        error={sending.error?.message}
        onChange={event => {
          setEmail(event.currentTarget.value)
          sending.reset()
        }}
      />
      {sending.isSuccess && (
        <TextInput
          label={t('signIn.passcode')}
          description={sending.data.message}
          inputMode="numeric"
          autoComplete="one-time-code"
          pattern="[0-9 ]*"
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

function StaffForm({ busy, onEnter }: FormProps) {
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
