// A person who works for several customers picks one here, after signing in or later.

import { Button, Stack, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../api/client.ts'
import { usePageTitle } from '../shell/page-title.ts'
import { Refused } from '../shell/states.tsx'
import { named, t } from '../words/words.ts'
import { Entrance } from './entrance.tsx'
import { useSession, useSessionChange } from './session.ts'

export function PickPage() {
  const { customers, person } = useSession()
  const navigate = useNavigate()
  const picking = useSessionChange<number>(cuid => api.openCustomer({ body: { cuid } }))
  const leaving = useSessionChange<void>(() => api.signOut())
  usePageTitle(t('pick.title'))
  return (
    <Entrance title={t('pick.title')}>
      <Text size="sm" c="dimmed" mb="lg" style={{ overflowWrap: 'anywhere' }}>
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
    </Entrance>
  )
}
