// The settings of a webhook, to be changed.

import { useState } from 'react'
import { api } from '../api/client.ts'
import { EditForm } from '../form/edit-form.tsx'
import { useFieldErrors } from '../form/field-errors.ts'
import { t } from '../words/words.ts'
import { useKeepWebhook, type Webhook } from './data.ts'
import { WebhookFields, webhookBodyOf, webhookDraftOf } from './fields.tsx'

export function EditWebhook({ webhook }: { webhook: Webhook }) {
  const [draft, setDraft] = useState(() => webhookDraftOf(webhook))
  const errors = useFieldErrors()
  const keep = useKeepWebhook()
  const save = async () => keep(await api.editWebhook({ wid: webhook.wid, body: webhookBodyOf(draft) }))
  return (
    <EditForm title={t('webhooks.settings')} errors={errors} save={save}>
      <WebhookFields draft={draft} errors={errors} onChange={setDraft} />
    </EditForm>
  )
}
