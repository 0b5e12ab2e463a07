// How many proposals wait for a decision, beside the link to them.

import { Badge } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Session } from '../session/session.ts'
import { t } from '../words/words.ts'
import { waitingQuery } from './data.ts'

export function Waits({ customer }: { customer: NonNullable<Session['customer']> }) {
  const { data: count } = useQuery(waitingQuery(customer))
  if (count === 0) return null
  return (
    <Badge size="sm" ml="auto" aria-label={t('proposals.waiting', { count })}>
      {count}
    </Badge>
  )
}
