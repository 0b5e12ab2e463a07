// The programs that act for the people of a customer. Everybody may take their own away, an owner those of all.

import { Badge, Group } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { CeilingsOf } from '../account/ceilings-of.tsx'
import { api } from '../api/client.ts'
import { RemoveButton } from '../form/remove-button.tsx'
import { date } from '../format/format.ts'
import { useZone } from '../period/use-period.ts'
import { useMay } from '../session/may.ts'
import { useSession } from '../session/session.ts'
import { useNotice } from '../shell/notice.tsx'
import { Panel } from '../shell/panel.tsx'
import { type SmallColumn, SmallTable } from '../table/small-table.tsx'
import { named, t } from '../words/words.ts'

type Pair = Awaited<ReturnType<typeof api.listCredentials>>[number]

/** Nothing while there are none: most customers never meet them. */
export function AgentsPanel({ cuid }: { cuid: number }) {
  const queryKey = ['credentials', cuid]
  const pairs = useQuery({ queryKey, queryFn: () => api.listCredentials({ cuid }) })
  const client = useQueryClient()
  const notice = useNotice()
  const zone = useZone()
  const may = useMay()
  const { person, customer } = useSession()
  const agents = pairs.data?.filter(({ agent }) => agent !== null) ?? []
  if (agents.length === 0) return null
  const isOwn = ({ agent }: Pair) => agent?.email === (person?.email ?? customer?.email)
  const nameOf = ({ name }: Pair) => name ?? ''
  const ended = () => {
    notice.done(t('agents.ended'))
    client.invalidateQueries({ queryKey })
  }
  const columns: SmallColumn<Pair>[] = [
    {
      title: t('agents.program'),
      cell: pair => (
        <Group gap="xs">
          {nameOf(pair)}
          <Badge variant="default" tt="none">
            {pair.agent?.host ?? t('agents.claimed')}
          </Badge>
        </Group>
      ),
    },
    { title: t('agents.for'), cell: ({ agent }) => agent?.email },
    {
      title: t('keys.scope'),
      cell: pair => (
        <div>
          {named('keys.scope', pair.scope)}
          <CeilingsOf ceilings={pair.ceilings} />
        </div>
      ),
    },
    { title: t('agents.connected'), short: true, cell: ({ created }) => date(created, zone) },
    {
      title: t('keys.lastUsed'),
      short: true,
      cell: ({ lastUsed }) => (lastUsed === null ? t('keys.never') : date(lastUsed, zone)),
    },
    { title: t('keys.expires'), short: true, cell: ({ expires }) => date(expires, zone) },
    {
      title: t('agents.end'),
      short: true,
      cell: pair =>
        (may.rights || isOwn(pair)) && (
          <RemoveButton
            word={t('agents.end')}
            label={t('agents.endNamed', { name: nameOf(pair) })}
            title={t('agents.endTitle', { name: nameOf(pair) })}
            about={t('agents.endAbout')}
            remove={() =>
              may.rights ? api.revokeCredential({ cuid, key: pair.key }) : api.endAgent({ key: pair.key })
            }
            onRemoved={ended}
          />
        ),
    },
  ]
  return (
    <Panel title={t('agents.title')} about={t('agents.about')}>
      <SmallTable
        label={t('agents.title')}
        columns={columns}
        rows={agents}
        idOf={({ key }) => key}
        leastPx={940}
      />
    </Panel>
  )
}
