// Sign-in: by email and passcode for customers, by super key and token for an app's staff.

import { Alert, Anchor, Paper, Stack, Text, Title } from '@mantine/core'
import { useRouter, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { BrandMark } from '../shell/brand-mark.tsx'
import { Icon } from '../shell/icon.tsx'
import { usePageTitle } from '../shell/page-title.ts'
import { Preferences } from '../shell/preferences.tsx'
import { problemSentence } from '../words/error-words.ts'
import { t } from '../words/words.ts'
import { insideAt } from './deep-link.ts'
import { type SignIn, useSession, useSessionChange } from './session.ts'
import { PasscodeForm, StaffForm } from './sign-in-forms.tsx'
import { ticketRefusal } from './ticket.ts'

export function SignInPage() {
  const { brand, passcodes } = useSession()
  const [staff, setStaff] = useState(!passcodes)
  const { to } = useSearch({ from: '/sign-in' })
  const router = useRouter()
  const change = useSessionChange<SignIn>(body => api.signIn({ body }))
  const enter = (input: SignIn) =>
    change.mutate(input, { onSuccess: () => router.history.push(insideAt(to)) })
  const refusal = change.error ? problemSentence(change.error) : change.isIdle ? ticketRefusal() : null
  usePageTitle(t(staff ? 'signIn.staffTitle' : 'signIn.title'))
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
