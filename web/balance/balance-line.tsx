// The balance in one line, beside the campaigns of a customer that pays in advance.

import { Anchor, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import * as format from '../format/format.ts'
import { useSession } from '../session/session.ts'
import { t } from '../words/words.ts'
import { accountQuery } from './data.ts'

export function BalanceLine({ cuid }: { cuid: number }) {
  const { customer } = useSession()
  const { data } = useQuery({ ...accountQuery(cuid), enabled: customer?.prepaid === true })
  if (!data?.prepaid) return null
  const isLow = data.balance <= (data.lowBalance ?? 0)
  return (
    <Text size="sm" mb="md" c={isLow ? 'red.9' : undefined} role="status">
      {t('balance.line', { balance: format.money(data.balance) })}{' '}
      <Anchor component={Link} to="/statement" size="sm">
        {t('balance.statement')}
      </Anchor>
    </Text>
  )
}
