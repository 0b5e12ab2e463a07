// The form that changes the settings of a webhook.

import { api, type Tagged, tagged } from '../api/client.ts'
import { EditForm } from '../form/edit-form.tsx'
import { useFieldErrors } from '../form/field-errors.ts'
import { useEdit } from '../form/use-edit.ts'
import { t } from '../words/words.ts'
import { useKeepWebhook, type Webhook } from './data.ts'
import { WebhookFields, webhookBodyOf, webhookDraftOf } from './fields.tsx'

export function EditWebhook({ webhook }: { webhook: Tagged<Webhook> }) {
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
