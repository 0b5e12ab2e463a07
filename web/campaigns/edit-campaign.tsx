// The form that changes the settings of a campaign.

import type { Tagged } from '../api/client.ts'
import { EditForm } from '../form/edit-form.tsx'
import { useFieldErrors } from '../form/field-errors.ts'
import { useEdit } from '../form/use-edit.ts'
import { t } from '../words/words.ts'
import { type Campaign, useCampaignCalls } from './data.ts'
import { bodyOf, CampaignFields, draftOf } from './fields.tsx'
import { useUnusual } from './unusual.tsx'

export function EditCampaign({ cuid, campaign }: { cuid: number; campaign: Tagged<Campaign> }) {
  const { cid } = campaign
  const errors = useFieldErrors()
  const edit = useEdit({ current: campaign, draftOf, bodyOf, ...useCampaignCalls(cuid, cid) })
  const unusual = useUnusual(cuid, t('form.save'))
  const save = async () =>
    (await unusual.isMeant(bodyOf(edit.draft).dailySpend, campaign.dailySpend)) && edit.save()
  return (
    <EditForm title={t('campaigns.settings')} errors={errors} edit={{ ...edit, save }}>
      <CampaignFields draft={edit.draft} errors={errors} onChange={edit.setDraft} all />
      {unusual.question}
    </EditForm>
  )
}
