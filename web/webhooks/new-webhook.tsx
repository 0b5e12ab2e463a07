// Creates a webhook; its signing secret is shown here once and never again.

import { Switch } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { CreatedWebhook } from '../../src/notify/webhooks/contract.ts'
import { api, keyOf } from '../api/client.ts'
import { CreateForm, useDirty } from '../form/create-form.tsx'
import { Dialog } from '../form/dialog.tsx'
import { useFieldErrors } from '../form/field-errors.ts'
import { Secret, ShownOnce } from '../form/shown-once.tsx'
import { t } from '../words/words.ts'
import { webhooksQuery } from './data.ts'
import { NEW_WEBHOOK, WebhookFields, webhookBodyOf } from './fields.tsx'

export function NewWebhook({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [created, setCreated] = useState<CreatedWebhook | null>(null)
  const close = () => {
    onClose()
    setCreated(null)
  }
  return (
    <Dialog opened={opened} onClose={close} size="lg" title={t('webhooks.new')} locked={created !== null}>
      {created ? (
        <ShownOnce count={1} about={t('webhooks.secretAbout')} onClose={close}>
          <Secret label={t('webhooks.secret')} value={created.secret} />
        </ShownOnce>
      ) : (
        <Form onCreated={setCreated} onClose={close} />
      )}
    </Dialog>
  )
}

interface FormProps {
  onCreated: (created: CreatedWebhook) => void
  onClose: () => void
}

function Form({ onCreated, onClose }: FormProps) {
  const [draft, setDraft] = useState(NEW_WEBHOOK)
  const [enabled, setEnabled] = useState(true)
  const errors = useFieldErrors(webhookBodyOf(draft))
  const client = useQueryClient()
  const create = async (formKey: string) => {
    const body = { ...webhookBodyOf(draft), enabled }
    const created = await api.createWebhook({ body }, { idempotencyKey: keyOf(formKey, body) })
    client.invalidateQueries({ queryKey: webhooksQuery.queryKey })
    onCreated(created)
  }
  return (
    <CreateForm
      action={t('webhooks.create')}
      errors={errors}
      dirty={useDirty(draft)}
      create={create}
      onCancel={onClose}
    >
      <WebhookFields draft={draft} errors={errors} onChange={setDraft} />
      <Switch
        label={t('webhooks.enabled')}
        description={t('webhooks.enabledAbout')}
        checked={enabled}
        onChange={event => setEnabled(event.currentTarget.checked)}
      />
    </CreateForm>
  )
}
