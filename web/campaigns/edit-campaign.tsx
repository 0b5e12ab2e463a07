// The form that changes the settings of a campaign.

import { useEffect } from 'react'
import type { Tagged } from '../api/client.ts'
import { EditForm } from '../form/edit-form.tsx'
import { useFieldErrors } from '../form/field-errors.ts'
import { writeNumber } from '../form/number.ts'
import { type Editing, useEdit } from '../form/use-edit.ts'
import { useAddressState } from '../table/address-state.ts'
import { t } from '../words/words.ts'
import { type Campaign, useCampaignCalls } from './data.ts'
import { bodyOf, type CampaignDraft, draftOf } from './draft.ts'
import { CampaignFields } from './fields.tsx'
import { useUnusual } from './unusual.tsx'

export function EditCampaign({ cuid, campaign }: { cuid: number; campaign: Tagged<Campaign> }) {
  const { cid } = campaign
  const edit = useEdit({ current: campaign, draftOf, bodyOf, ...useCampaignCalls(cuid, cid) })
  const errors = useFieldErrors(edit.body)
  useTriedPrice(edit.setDraft)
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

/** Fills in the price that a link proposes, once. Nothing is saved by it. */
function useTriedPrice(setDraft: Editing<CampaignDraft>['setDraft']): void {
  const [tried, setTried] = useAddressState('cpm')
  useEffect(() => {
    const cpm = Number(tried)
    if (tried === undefined || !(cpm > 0)) return
    setDraft(draft => ({ ...draft, pricing: 'cpm', cpm: writeNumber(cpm, 2) }))
    setTried(undefined)
  }, [tried, setDraft, setTried])
}
