// How a customer is, at the top of its page: the reason that the cockpit shows, and where it is solved.

import '../cockpit/cockpit.css'
import { Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Health } from '../../src/diagnose/cockpit/contract.ts'
import type { Issue } from '../../src/diagnose/issues/contract.ts'
import { api } from '../api/client.ts'
import { CreditDialog } from '../balance/credit-dialog.tsx'
import { HealthCell } from '../cockpit/cells.tsx'
import { remedyOf } from '../overview/attention.tsx'
import { useMay } from '../session/may.ts'
import { useSession } from '../session/session.ts'
import { named, t } from '../words/words.ts'
import { type Customer, useActAs } from './data.ts'

const AGAIN_MS = 60_000

export function CustomerHealth({ customer: { cuid } }: { customer: Customer }) {
  const { level: reader } = useSession()
  const { data } = useQuery({
    queryKey: ['cockpit', 'of', cuid],
    queryFn: () => api.readCockpit({ cuid }),
    // Not in the moment between acting as the customer and its first page: the cockpit is for staff.
    enabled: reader === 'app',
    refetchInterval: AGAIN_MS,
  })
  const customer = data?.customers[0]
  if (!customer) return null
  const { level, code } = customer.health
  return (
    <Group component="section" aria-label={t('cockpit.health')} className="attention" justify="space-between">
      <HealthCell customer={customer} nowS={data.asOf} />
      {level !== 'ok' && level !== 'idle' && <Remedy cuid={cuid} code={code} health={customer.health} />}
    </Group>
  )
}

interface RemedyProps {
  cuid: number
  code: Health['code']
  health: Health
}

/** Of a balance, banners for staff, or a campaign. A frozen customer has its button below. */
function Remedy({ cuid, code, health }: RemedyProps) {
  if (code === 'frozen') return null
  if (code === 'balance_spent' || code === 'balance_low' || code === 'balance_ends')
    return <Credit cuid={cuid} />
  if (code === 'banners_waiting')
    return (
      <Button component={Link} to="/review" variant="default">
        {t('review.open', { count: health.count ?? 1 })}
      </Button>
    )
  return <OfCampaign cuid={cuid} reason={health.reason} />
}

function Credit({ cuid }: { cuid: number }) {
  const [opened, setOpened] = useState(false)
  if (!useMay().credit) return null
  return (
    <>
      <Button onClick={() => setOpened(true)}>{t('balance.credit')}</Button>
      <CreditDialog cuid={cuid} opened={opened} onClose={() => setOpened(false)} />
    </>
  )
}

/** The campaign that has this reason, otherwise the first one with an issue; its pages are those of the customer. */
function OfCampaign({ cuid, reason }: { cuid: number; reason: string | null }) {
  const { data: issues } = useQuery({
    queryKey: ['issues', cuid],
    queryFn: () => api.listIssues({ cuid }),
    refetchInterval: AGAIN_MS,
  })
  const actAs = useActAs(cuid)
  if (!issues) return null
  const issue: Issue | undefined = issues.find(({ code }) => code === reason) ?? issues[0]
  const remedy = issue ? remedyOf(issue) : { to: '/campaigns', word: t('remedy.look') }
  return (
    <Group gap="sm">
      {issue && (
        <span>
          <b>{issue.campaign}</b> <span className="q">{named('issue', issue.code)}</span>
        </span>
      )}
      <Button loading={actAs.isPending} onClick={() => actAs.go(remedy)}>
        {remedy.word}
      </Button>
    </Group>
  )
}
