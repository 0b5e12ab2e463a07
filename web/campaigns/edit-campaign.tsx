// The settings of a campaign, to be changed.

import { Button, Group, Stack } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { api } from '../api/client.ts'
import { useFieldErrors } from '../form/field-errors.ts'
import { FormProblem } from '../form/form-problem.tsx'
import { useNotice } from '../shell/notice.ts'
import { Panel } from '../shell/panel.tsx'
import { t } from '../words/words.ts'
import { type Campaign, useKeepCampaign } from './data.ts'
import { bodyOf, CampaignFields, draftOf } from './fields.tsx'

export function EditCampaign({ cuid, campaign }: { cuid: number; campaign: Campaign }) {
  const [draft, setDraft] = useState(() => draftOf(campaign))
  const [busy, setBusy] = useState(false)
  const errors = useFieldErrors()
  const keep = useKeepCampaign(cuid)
  const notice = useNotice()
  const save = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    errors.clear()
    try {
      keep(await api.editCampaign({ cuid, cid: campaign.cid, body: bodyOf(draft) }))
      notice.done(t('form.saved'))
    } catch (error) {
      errors.take(error)
    }
    setBusy(false)
  }
  return (
    <Panel title={t('campaigns.settings')}>
      <form onSubmit={save} noValidate>
        <Stack maw={860}>
          <FormProblem errors={errors} />
          <CampaignFields draft={draft} errors={errors} onChange={setDraft} all />
          <Group>
            <Button type="submit" loading={busy}>
              {t('form.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  )
}
