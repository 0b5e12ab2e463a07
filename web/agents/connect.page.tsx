// A program asks to act for the reader: who it is and who says so, for which customer, what it may do, and up to which
// amounts. Nothing is given before the reader says so here.

import { Button, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { AgentAsked } from '../../src/console/agents/contract.ts'
import { api } from '../api/client.ts'
import { Entrance } from '../session/entrance.tsx'
import { usePageTitle } from '../shell/page-title.ts'
import { Refused, Waiting } from '../shell/states.tsx'
import { t } from '../words/words.ts'
import { Consent } from './consent.tsx'

export function ConnectPage() {
  const { request = '' } = useSearch({ from: '/connect' })
  const asked = useQuery({
    queryKey: ['agent-request', request],
    queryFn: () => api.readAgentRequest({ body: { request } }),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const [done, setDone] = useState(false)
  const what = asked.data
  const title = what && 'name' in what ? t('agents.ask', { name: what.name }) : t('agents.wrong')
  usePageTitle(title)
  if (asked.isPending) return <Waiting />
  const leave = (address: string) => {
    setDone(true)
    window.location.assign(address)
  }
  return (
    <Entrance title={title}>
      {asked.error && <Refused error={asked.error} onRetry={() => asked.refetch()} />}
      {what && 'refused' in what && (
        <Stack>
          <Text size="sm">{t('agents.wrongAbout', { detail: what.refused })}</Text>
          <Button variant="default" onClick={() => leave(what.back)}>
            {t('agents.back')}
          </Button>
        </Stack>
      )}
      {what && 'name' in what && <Answer what={what} done={done} request={request} leave={leave} />}
    </Entrance>
  )
}

interface AnswerProps {
  what: AgentAsked
  done: boolean
  request: string
  leave: (address: string) => void
}

function Answer({ what, done, request, leave }: AnswerProps) {
  if (done) return <Text role="status">{t('agents.done', { name: what.name })}</Text>
  if (what.customers.length === 0) return <Text>{t('agents.nobody')}</Text>
  return <Consent key={what.shown} what={what} request={request} onLeave={leave} />
}
