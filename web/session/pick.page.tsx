// For a person who works for several customers: which one it is to be, after signing in or later.

import { Button, Paper, Stack, Text, Title } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../api/client.ts'
import { BrandMark } from '../shell/brand-mark.tsx'
import { usePageTitle } from '../shell/page-title.ts'
import { Preferences } from '../shell/preferences.tsx'
import { Refused } from '../shell/states.tsx'
import { named, t } from '../words/words.ts'
import { useSession, useSessionChange } from './session.ts'

export function PickPage() {
  const { brand, customers, person } = useSession()
  const navigate = useNavigate()
  const picking = useSessionChange<number>(cuid => api.openCustomer({ body: { cuid } }))
  const leaving = useSessionChange<void>(() => api.signOut())
  usePageTitle(t('pick.title'))
  return (
    <main className="sign-in">
      <Stack w="100%" maw={440} gap="lg">
        <BrandMark brand={brand} centred />
        <Paper p={{ base: 'lg', xs: 'xl' }} shadow="sm">
          <Title order={1} size="h3">
            {t('pick.title')}
          </Title>
          <Text size="sm" c="dimmed" mt={4} mb="lg" style={{ overflowWrap: 'anywhere' }}>
            {t('pick.about', { email: person?.email ?? '' })}
          </Text>
          {picking.error && <Refused error={picking.error} onRetry={() => picking.reset()} />}
          <Stack gap="sm">
            {customers.map(({ cuid, company, role }) => (
              <Button
                key={cuid}
                fullWidth
                variant="default"
                justify="space-between"
                rightSection={
                  <Text size="xs" c="dimmed">
                    {named('members.role', role)}
                  </Text>
                }
                loading={picking.isPending && picking.variables === cuid}
                onClick={() => picking.mutate(cuid, { onSuccess: () => navigate({ to: '/' }) })}
              >
                {company}
              </Button>
            ))}
            <Button
              fullWidth
              variant="subtle"
              onClick={() => leaving.mutate(undefined, { onSuccess: () => navigate({ to: '/sign-in' }) })}
            >
              {t('shell.signOut')}
            </Button>
          </Stack>
        </Paper>
        <Preferences />
      </Stack>
    </main>
  )
}
