// What the reader is asked, and their answer: it begins with little, and no more can be given than the reader has.

import { Alert, Button, Fieldset, NativeSelect, Radio, SimpleGrid, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import {
  AGENT_SCOPES,
  type AgentAsked,
  type AgentScope,
  type ApproveAgent,
} from '../../src/console/agents/contract.ts'
import { ceilingProblem, decimalsOf, signOf, writeCeiling } from '../account/key-ceilings.ts'
import { api, MarqueeError } from '../api/client.ts'
import { useFieldErrors } from '../form/field-errors.ts'
import { numberToSend } from '../form/number.ts'
import { NumberField } from '../form/number-field.tsx'
import { date } from '../format/format.ts'
import { useSession } from '../session/session.ts'
import { Icon } from '../shell/icon.tsx'
import { named, t } from '../words/words.ts'

interface ConsentProps {
  what: AgentAsked
  request: string
  onLeave: (address: string) => void
}

/** Of both, the ones that a reader thinks in. Others can be set for keys. */
const LIMITS = ['dailySpendAll', 'dailySpend'] as const
const LIMIT_WORDS = { dailySpendAll: 'agents.all', dailySpend: 'agents.each' } as const
/** In the currency of the service: little enough to begin with. */
const FIRST_LIMIT = '100'
const rank = (scope: AgentScope) => AGENT_SCOPES.indexOf(scope)
const lesser = (one: AgentScope, other: AgentScope) => (rank(one) < rank(other) ? one : other)

interface Draft {
  cuid: number
  scope: AgentScope
  limits: Record<(typeof LIMITS)[number], string>
}

function bodyOf({ cuid, scope, limits }: Draft, request: string, shown: string): ApproveAgent {
  const set = LIMITS.flatMap(limit => {
    const value = numberToSend(limits[limit], decimalsOf(limit))
    return value === null ? [] : [[limit, value] as const]
  })
  const hasLimits = scope !== 'read' && set.length > 0
  return { request, shown, cuid, scope, ceilings: hasLimits ? Object.fromEntries(set) : null }
}

export function Consent({ what, request, onLeave }: ConsentProps) {
  const { customers, shown } = what
  const session = useSession()
  const client = useQueryClient()
  const first = customers.find(({ cuid }) => cuid === session.customer?.cuid) ?? customers[0]!
  const [draft, setDraft] = useState<Draft>({
    cuid: first.cuid,
    scope: lesser(first.most, lesser(what.asked ?? 'propose', 'propose')),
    limits: { dailySpendAll: FIRST_LIMIT, dailySpend: '' },
  })
  const set = (change: Partial<Draft>) => setDraft(before => ({ ...before, ...change }))
  const body = bodyOf(draft, request, shown)
  const errors = useFieldErrors(body)
  const customer = customers.find(({ cuid }) => cuid === draft.cuid)!
  const allowing = useMutation({
    mutationFn: () => api.approveAgent({ body }),
    onSuccess: ({ redirect }) => onLeave(redirect),
    onError: error => {
      errors.take(error)
      // What it says of itself now is shown instead.
      if (error instanceof MarqueeError && error.reason === 'agent_changed')
        client.invalidateQueries({ queryKey: ['agent-request'] })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    allowing.mutate()
  }
  const isMissing = draft.scope === 'spend' && body.ceilings?.dailySpendAll == null
  return (
    <Stack component="form" gap="md" onSubmit={submit}>
      <Who what={what} />
      {errors.message && (
        <Alert color="red" icon={<Icon name="warning" />} role="alert">
          {errors.message}
        </Alert>
      )}
      {customers.length === 1 ? (
        <Text size="sm" fw="var(--strong)">
          {t('agents.customer')}: {customer.company}
        </Text>
      ) : (
        <NativeSelect
          label={t('agents.customer')}
          data={customers.map(({ cuid, company }) => ({ value: String(cuid), label: company }))}
          value={String(draft.cuid)}
          onChange={event => {
            const next = customers.find(({ cuid }) => String(cuid) === event.currentTarget.value)!
            set({ cuid: next.cuid, scope: lesser(draft.scope, next.most) })
          }}
        />
      )}
      <Scopes most={customer.most} value={draft.scope} onChange={scope => set({ scope })} />
      {draft.scope !== 'read' && (
        <Fieldset legend={t('agents.limits')}>
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            {LIMITS.map(limit => (
              <NumberField
                key={limit}
                label={t(LIMIT_WORDS[limit])}
                decimals={decimalsOf(limit)}
                sign={signOf(limit)}
                show={value => writeCeiling(limit, value)}
                check={value => ceilingProblem(limit, value)}
                required={draft.scope === 'spend' && limit === 'dailySpendAll'}
                value={draft.limits[limit]}
                error={
                  isMissing && limit === 'dailySpendAll'
                    ? t('agents.needed')
                    : errors.at(`/ceilings/${limit}`)
                }
                onChange={typed => set({ limits: { ...draft.limits, [limit]: typed } })}
              />
            ))}
          </SimpleGrid>
        </Fieldset>
      )}
      <Text size="xs" c="dimmed">
        {t('agents.until', { date: date(what.until, session.customer?.timezone ?? session.timezone) })}{' '}
        {t('agents.takeAway')}
      </Text>
      <Button type="submit" fullWidth loading={allowing.isPending} disabled={isMissing}>
        {t('agents.allow')}
      </Button>
      <Button fullWidth variant="default" onClick={() => onLeave(what.denied)}>
        {t('agents.deny')}
      </Button>
    </Stack>
  )
}

/** Who asks, who says so, and where the answer goes. */
function Who({ what: { name, host, goesTo, isLocal } }: { what: AgentAsked }) {
  const { person, customer } = useSession()
  const email = person?.email ?? customer?.email
  const where = t(isLocal ? 'agents.goesHere' : 'agents.goesTo', { host: goesTo })
  return (
    <Stack gap="xs" style={{ overflowWrap: 'anywhere' }}>
      {host === null ? (
        <Alert color="yellow" icon={<Icon name="warning" />}>
          {t('agents.unknown', { name })}
        </Alert>
      ) : (
        <Text size="sm">{t('agents.described', { host, name })}</Text>
      )}
      <Text size="sm">{where}</Text>
      {email && (
        <Text size="xs" c="dimmed">
          {t('agents.signedIn', { email })}
        </Text>
      )}
    </Stack>
  )
}

interface ScopesProps {
  most: AgentScope
  value: AgentScope
  onChange: (scope: AgentScope) => void
}

function Scopes({ most, value, onChange }: ScopesProps) {
  return (
    <Radio.Group label={t('agents.may')} value={value} onChange={scope => onChange(scope as AgentScope)}>
      <Stack gap="xs" mt="xs">
        {AGENT_SCOPES.filter(scope => rank(scope) <= rank(most)).map(scope => (
          <Radio
            key={scope}
            value={scope}
            label={named('agents.scope', scope)}
            description={scope === 'propose' ? t('agents.scopeAbout.propose') : undefined}
          />
        ))}
      </Stack>
    </Radio.Group>
  )
}
