// The session ends while a person is working: they sign in again over the page and its dialogs, which stay as they are.
// A sign-in as someone else gets a warning, because the page still belongs to the previous account.

import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { api, consoleBase } from '../api/client.ts'
import { Dialog } from '../form/dialog.tsx'
import { Icon } from '../shell/icon.tsx'
import { problemSentence } from '../words/error-words.ts'
import { t } from '../words/words.ts'
import { type Session, sessionQuery, useSession } from './session.ts'
import { PasscodeForm, StaffForm } from './sign-in-forms.tsx'

/** Loaded on demand: few need it. */
const PasskeyStep = lazy(async () => ({ default: (await import('./passkey-step.tsx')).PasskeyStep }))

interface SignInDialogProps {
  asked: boolean
  onDone: () => void
}

export function SignInDialog({ asked, onDone }: SignInDialogProps) {
  const session = useSession()
  const client = useQueryClient()
  const [other, setOther] = useState<Session | null>(null)
  const [half, setHalf] = useState<Session | null>(null)
  const entering = useMutation({
    mutationFn: async (signIn: () => Promise<Session>) => asBefore(await signIn(), session),
    onSuccess: next => {
      setHalf(next.waitsFor ? next : null)
      if (next.waitsFor) return
      if (next.level !== session.level || next.customer?.cuid !== session.customer?.cuid)
        return setOther(next)
      client.setQueryData(sessionQuery.queryKey, next)
      setOther(null)
      onDone()
    },
  })
  const name = nameOf(session)
  return (
    <Dialog opened={asked} locked overAll onClose={() => {}} title={t('session.endedTitle')}>
      <Stack>
        {other ? (
          <Alert role="alert" color="yellow" icon={<Icon name="warning" />} title={t('session.otherTitle')}>
            <Text size="sm">{t('session.otherAbout', { name, other: nameOf(other) })}</Text>
            <Group mt="sm">
              <Button size="xs" variant="default" onClick={() => window.location.assign(consoleBase)}>
                {t('session.goOn', { other: nameOf(other) })}
              </Button>
            </Group>
          </Alert>
        ) : (
          <Text size="sm">{t('session.endedAbout')}</Text>
        )}
        {entering.error && (
          <Alert color="red" icon={<Icon name="warning" />} role="alert">
            {problemSentence(entering.error)}
          </Alert>
        )}
        {half ? (
          <Suspense>
            <PasskeyStep session={half} onDone={next => entering.mutate(async () => next)} />
          </Suspense>
        ) : session.staff && session.person === null ? (
          <StaffForm
            busy={entering.isPending}
            onEnter={body => entering.mutate(() => api.signIn({ body }))}
          />
        ) : (
          <PasscodeForm
            email={session.person?.email ?? session.customer?.email}
            busy={entering.isPending}
            onEnter={body => entering.mutate(() => api.signIn({ body }))}
          />
        )}
        {/* A removed person gets no passcode any more. */}
        <Anchor
          component="button"
          type="button"
          size="sm"
          underline="always"
          onClick={() => window.location.assign(new URL('sign-in', consoleBase))}
        >
          {t('session.leave')}
        </Anchor>
      </Stack>
    </Dialog>
  )
}

/** Staff acting as a customer, and a person who had picked one, continue as that customer. */
async function asBefore(next: Session, before: Session): Promise<Session> {
  const isStaffAgain = next.level === 'app' && before.staff
  const works = next.customers.some(({ cuid }) => cuid === before.customer?.cuid)
  return before.customer && (isStaffAgain || works)
    ? api.openCustomer({ body: { cuid: before.customer!.cuid } })
    : next
}

function nameOf(session: Session): string {
  return session.customer?.company ?? session.app?.name ?? ''
}
