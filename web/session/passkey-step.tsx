// The step after the passcode: use a passkey, or register the one that is required.

import { Alert, Button, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Icon } from '../shell/icon.tsx'
import { t } from '../words/words.ts'
import { hasPasskeys, passkeySentence, provePasskey, registerPasskey } from './passkey.ts'
import type { Session } from './session.ts'

interface StepProps {
  /** The session that waits for this step. */
  session: Session
  onDone: (session: Session) => void
}

export function PasskeyStep({ session, onDone }: StepProps) {
  const isNew = session.waitsFor === 'new_passkey'
  const email = session.person?.email ?? ''
  const [name, setName] = useState('')
  const step = useMutation({
    mutationFn: () => (isNew ? registerPasskey(name.trim()) : provePasskey()),
    onSuccess: onDone,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    step.mutate()
  }
  return (
    <Stack component="form" gap="md" onSubmit={submit}>
      <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {t(isNew ? 'passkeys.wantedAbout' : 'passkeys.askAbout', { email })}
      </Text>
      {!hasPasskeys() && (
        <Alert color="yellow" icon={<Icon name="warning" />}>
          {t('passkeys.impossible')}
        </Alert>
      )}
      {step.error && (
        <Alert color="red" icon={<Icon name="warning" />} role="alert">
          {passkeySentence(step.error)}
        </Alert>
      )}
      {isNew && <PasskeyName autoFocus value={name} onChange={setName} />}
      <Button
        type="submit"
        fullWidth
        loading={step.isPending}
        disabled={!hasPasskeys()}
        autoFocus={!isNew}
        data-autofocus
      >
        {t(isNew ? 'passkeys.register' : 'passkeys.use')}
      </Button>
      {!isNew && (
        <Text size="xs" c="dimmed">
          {t('passkeys.lost')}
        </Text>
      )}
    </Stack>
  )
}

interface PasskeyNameProps {
  autoFocus?: boolean
  value: string
  onChange: (name: string) => void
}

export function PasskeyName({ autoFocus = false, value, onChange }: PasskeyNameProps) {
  return (
    <TextInput
      label={t('passkeys.name')}
      description={t('passkeys.nameAbout')}
      required
      maxLength={100}
      autoFocus={autoFocus}
      data-autofocus
      value={value}
      onChange={event => onChange(event.currentTarget.value)}
    />
  )
}
