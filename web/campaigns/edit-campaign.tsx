// The settings of a campaign, to be changed.

import { useState } from 'react'
import { api } from '../api/client.ts'
import { EditForm } from '../form/edit-form.tsx'
import { useFieldErrors } from '../form/field-errors.ts'
import { t } from '../words/words.ts'
import { type Campaign, useKeepCampaign } from './data.ts'
import { bodyOf, CampaignFields, draftOf } from './fields.tsx'

export function EditCampaign({ cuid, campaign }: { cuid: number; campaign: Campaign }) {
  const [draft, setDraft] = useState(() => draftOf(campaign))
  const errors = useFieldErrors()
  const keep = useKeepCampaign(cuid)
  const save = async () => keep(await api.editCampaign({ cuid, cid: campaign.cid, body: bodyOf(draft) }))
  return (
    <EditForm title={t('campaigns.settings')} errors={errors} save={save}>
      <CampaignFields draft={draft} errors={errors} onChange={setDraft} all />
    </EditForm>
  )
}
