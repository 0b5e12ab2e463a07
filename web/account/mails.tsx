// Email preferences of a customer: daily or weekly reports, and alerts. Each choice is saved immediately.

import { Group, Select, Stack, Switch } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type MailChoicesEdit, REPORT_CHOICES, type ReportChoice } from '../../src/notify/mails/contract.ts'
import { api } from '../api/client.ts'
import { EditFields } from '../form/edit-fields.tsx'
import { decimal } from '../format/format.ts'
import { useMay } from '../session/may.ts'
import { useNotice } from '../shell/notice.tsx'
import { Panel } from '../shell/panel.tsx'
import { Refused, Waiting } from '../shell/states.tsx'
import { t } from '../words/words.ts'

const ALERTS = [
  'bannerRejected',
  'budgetSpent',
  'daySpent',
  'balance',
  'proposals',
  'decisions',
  'stopped',
] as const
/** Times the old budget. A factor that a program set is offered too. */
const FACTORS = [1.5, 2, 3, 5, 10]
const NEVER = 'never'

export function Mails({ cuid }: { cuid: number }) {
  const client = useQueryClient()
  const notice = useNotice()
  const { rights } = useMay()
  const queryKey = ['mails', cuid]
  const choices = useQuery({ queryKey, queryFn: () => api.readMailChoices({ cuid }) })
  const { mutate: choose } = useMutation({
    mutationFn: (body: MailChoicesEdit) => api.editMailChoices({ cuid, body }),
    onSuccess: kept => {
      client.setQueryData(queryKey, kept)
      notice.done(t('form.saved'))
    },
    onError: notice.refused,
  })
  return (
    <Panel title={t('mails.title')} about={t('mails.about')}>
      {choices.isPending && <Waiting height={120} />}
      {choices.error && <Refused error={choices.error} onRetry={() => choices.refetch()} />}
      {choices.data && (
        <EditFields>
          <Stack>
            <Group>
              <Select
                label={t('mails.report')}
                description={t('mails.report.about')}
                allowDeselect={false}
                value={choices.data.report}
                data={REPORT_CHOICES.map(value => ({ value, label: t(`mails.report.${value}`) }))}
                onChange={next => next && choose({ report: next as ReportChoice })}
              />
            </Group>
            {ALERTS.map(kind => (
              <Switch
                key={kind}
                label={t(`mails.${kind}`)}
                checked={choices.data[kind]}
                onChange={event => choose({ [kind]: event.currentTarget.checked })}
              />
            ))}
            <Switch
              label={t('mails.access')}
              checked={choices.data.access}
              disabled={!rights}
              onChange={event => choose({ access: event.currentTarget.checked })}
            />
            <Group>
              <Select
                label={t('mails.budgetRaised')}
                allowDeselect={false}
                disabled={!rights}
                value={String(choices.data.budgetRaised ?? NEVER)}
                data={factorsWith(choices.data.budgetRaised)}
                onChange={next => next && choose({ budgetRaised: next === NEVER ? null : Number(next) })}
              />
            </Group>
          </Stack>
        </EditFields>
      )}
    </Panel>
  )
}

function factorsWith(chosen: number | null) {
  const factors = [...new Set([...FACTORS, ...(chosen === null ? [] : [chosen])])].sort((a, b) => a - b)
  const offered = factors.map(factor => ({
    value: String(factor),
    label: t('mails.budgetRaised.times', { factor: decimal(factor, 2) }),
  }))
  return [{ value: NEVER, label: t('mails.budgetRaised.never') }, ...offered]
}
