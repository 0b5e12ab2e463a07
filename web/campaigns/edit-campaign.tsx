// The form that changes the settings of a campaign.

import type { Tagged } from '../api/client.ts'
import { EditForm } from '../form/edit-form.tsx'
import { useFieldErrors } from '../form/field-errors.ts'
import { useEdit } from '../form/use-edit.ts'
import { t } from '../words/words.ts'
import { type Campaign, useCampaignCalls } from './data.ts'
import { bodyOf, CampaignFields, draftOf } from './fields.tsx'

export function EditCampaign({ cuid, campaign }: { cuid: number; campaign: Tagged<Campaign> }) {
  const { cid } = campaign
  const errors = useFieldErrors()
  const edit = useEdit({ current: campaign, draftOf, bodyOf, ...useCampaignCalls(cuid, cid) })
  return (
    <EditForm title={t('campaigns.settings')} errors={errors} edit={edit}>
      <CampaignFields draft={edit.draft} errors={errors} onChange={edit.setDraft} all />
    </EditForm>
  )
}
