// One webhook: its log, its settings, and a way to test it.

import { Button, Switch, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { api, type Tagged, tagged } from '../api/client.ts'
import { DeleteButton } from '../form/delete-button.tsx'
import { EditForm } from '../form/edit-form.tsx'
import { useFieldErrors } from '../form/field-errors.ts'
import { useEdit } from '../form/use-edit.ts'
import { useMay } from '../session/may.ts'
import { Icon } from '../shell/icon.tsx'
import { useNotice } from '../shell/notice.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { PageTabs, shownTab } from '../shell/page-tabs.tsx'
import { Refused, Waiting } from '../shell/states.tsx'
import { StatusBadge } from '../shell/status-badge.tsx'
import { t } from '../words/words.ts'
import {
  useDeleteWebhook,
  useKeepWebhook,
  useSwitchWebhook,
  useTestWebhook,
  type Webhook,
  webhookName,
  webhookQuery,
} from './data.ts'
import { DeliveryLog } from './delivery-log.tsx'
import { WebhookFields, webhookBodyOf, webhookDraftOf } from './fields.tsx'
import { NewSecret } from './new-secret.tsx'

const TABS = ['log', 'settings']

export function WebhookPage() {
  const { wid } = useParams({ from: '/inside/app/webhooks/$wid' })
  const { tab } = useSearch({ from: '/inside/app/webhooks/$wid' })
  const webhook = useQuery(webhookQuery(wid))
  const switching = useSwitchWebhook()
  const removing = useDeleteWebhook()
  const testing = useTestWebhook(wid)
  const navigate = useNavigate()
  const notice = useNotice()
  const may = useMay()
  if (webhook.isPending) return <Waiting />
  if (!webhook.data) return <Refused error={webhook.error} onRetry={() => webhook.refetch()} />
  const { url, enabled, description } = webhook.data
  const sendTest = () =>
    testing.mutate(undefined, {
      onSuccess: () => {
        notice.done(t('webhooks.tested'))
        navigate({ to: '.', search: before => ({ ...before, tab: 'log' }), replace: true })
      },
      onError: notice.refused,
    })
  const contents = [
    { value: 'log', label: t('webhooks.log'), content: <DeliveryLog wid={wid} /> },
    {
      value: 'settings',
      label: t('webhooks.settings'),
      content: <EditWebhook key={wid} webhook={webhook.data} />,
    },
  ]
  return (
    <>
      <PageHead
        title={webhookName(webhook.data)}
        badge={<StatusBadge status={enabled ? 'on' : 'off'} />}
        crumbs={[{ name: t('shell.webhooks'), to: '/webhooks' }]}
      >
        {may.rights && (
          <>
            <Switch
              label={t('webhooks.enabled')}
              checked={enabled}
              onChange={event =>
                switching.mutate({ wid, enabled: event.currentTarget.checked }, { onError: notice.refused })
              }
            />
            <Button
              variant="default"
              leftSection={<Icon name="play" size={16} />}
              loading={testing.isPending}
              onClick={sendTest}
            >
              {t('webhooks.test')}
            </Button>
            <NewSecret wid={wid} />
          </>
        )}
        <DeleteButton
          title={t('webhooks.deleteTitle')}
          about={t('webhooks.deleteAbout', { url })}
          busy={removing.isPending}
          error={removing.error}
          onConfirm={() => removing.mutate(wid, { onSuccess: () => navigate({ to: '/webhooks' }) })}
        />
      </PageHead>
      {description !== null && (
        <Text size="sm" c="dimmed" mt={-12} mb="md" style={{ overflowWrap: 'anywhere' }}>
          {url}
        </Text>
      )}
      <PageTabs shown={shownTab(TABS, tab)} tabs={contents} />
    </>
  )
}

/** The form that changes the settings of a webhook. */
function EditWebhook({ webhook }: { webhook: Tagged<Webhook> }) {
  const { wid } = webhook
  const edit = useEdit({
    current: webhook,
    draftOf: webhookDraftOf,
    bodyOf: webhookBodyOf,
    read: () => tagged(api.withMeta.readWebhook({ wid })),
    write: (changes, ifMatch) => tagged(api.withMeta.editWebhook({ wid, body: changes }, { ifMatch })),
    keep: useKeepWebhook(),
  })
  const errors = useFieldErrors(edit.body)
  return (
    <EditForm title={t('webhooks.settings')} errors={errors} edit={edit}>
      <WebhookFields draft={edit.draft} errors={errors} onChange={edit.setDraft} />
    </EditForm>
  )
}
