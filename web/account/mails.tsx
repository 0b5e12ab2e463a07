// Email preferences of a customer: daily or weekly reports, and alerts. Each choice is saved immediately.

import { Group, Select, Stack, Switch } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type MailChoicesEdit, REPORT_CHOICES, type ReportChoice } from '../../src/mails/contract.ts'
import { api } from '../api/client.ts'
import { EditFields } from '../form/edit-fields.tsx'
import { useNotice } from '../shell/notice.tsx'
import { Panel } from '../shell/panel.tsx'
import { Refused, Waiting } from '../shell/states.tsx'
import { t } from '../words/words.ts'

const ALERTS = ['bannerRejected', 'budgetSpent', 'balance', 'proposals', 'stopped'] as const

export function Mails({ cuid }: { cuid: number }) {
  const client = useQueryClient()
  const notice = useNotice()
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
          </Stack>
        </EditFields>
      )}
    </Panel>
  )
}
