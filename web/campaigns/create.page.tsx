// Campaign, persona and banners in one go. What was refused is shown at its field; what already exists by then is
// edited, not created again, when the form is sent once more.

import { Button, Group, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api, keyOf, newIdempotencyKey } from '../api/client.ts'
import { createBanners, NO_BANNERS, Uploads } from '../banners/uploads.tsx'
import { useDirty } from '../form/create-form.tsx'
import { useFieldErrors } from '../form/field-errors.ts'
import { FormProblem } from '../form/form-problem.tsx'
import { useUnsaved } from '../form/unsaved.ts'
import { newPersonaDraft, personaBodyOf } from '../personas/draft.ts'
import { PersonaFields } from '../personas/fields.tsx'
import { useCuid } from '../session/session.ts'
import { useNotice } from '../shell/notice.ts'
import { PageHead } from '../shell/page-head.tsx'
import { Panel } from '../shell/panel.tsx'
import { t } from '../words/words.ts'
import { bodyOf, CampaignFields, newDraft } from './fields.tsx'

interface Made {
  cid: number | null
  pid: number | null
}

export function CreatePage() {
  const cuid = useCuid()
  const client = useQueryClient()
  const navigate = useNavigate()
  const notice = useNotice()
  const [campaign, setCampaign] = useState(() => newDraft(Date.now() / 1000, t('campaigns.firstName')))
  const [persona, setPersona] = useState(() => newPersonaDraft(t('personas.firstName')))
  const [banners, setBanners] = useState(NO_BANNERS)
  const [made, setMade] = useState<Made>({ cid: null, pid: null })
  const [formKey] = useState(newIdempotencyKey)
  const [busy, setBusy] = useState(false)
  const typed = useDirty([campaign, persona, banners.clickUrl])
  const letGo = useUnsaved(typed || banners.list.length > 0)
  const errors = { campaign: useFieldErrors(), persona: useFieldErrors(), banners: useFieldErrors() }

  const saveCampaign = async () => {
    const body = bodyOf(campaign)
    return made.cid === null
      ? api.createCampaign({ cuid, body }, { idempotencyKey: keyOf(formKey, body) })
      : api.editCampaign({ cuid, cid: made.cid, body })
  }
  const savePersona = async (cid: number) => {
    const body = personaBodyOf(persona)
    return made.pid === null
      ? api.createPersona({ cuid, cid, body }, { idempotencyKey: keyOf(formKey, body) })
      : api.editPersona({ cuid, cid, pid: made.pid, body })
  }
  const save = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    for (const part of Object.values(errors)) part.clear()
    let step = errors.campaign
    try {
      const { cid } = await saveCampaign()
      setMade(now => ({ ...now, cid }))
      client.invalidateQueries({ queryKey: ['campaigns', cuid] })
      step = errors.persona
      const { pid } = await savePersona(cid)
      setMade({ cid, pid })
      step = errors.banners
      await createBanners(cuid, { cid, pid }, banners)
      letGo()
      notice.done(t('campaigns.created', { name: campaign.name }))
      navigate({ to: '/campaigns/$cid/personas/$pid', params: { cid, pid } })
    } catch (error) {
      step.take(error)
    }
    setBusy(false)
  }
  return (
    <form onSubmit={save} noValidate>
      <PageHead title={t('campaigns.new')} crumbs={[{ name: t('campaigns.title'), to: '/campaigns' }]} />
      <Stack gap="lg" maw={900}>
        <Panel title={t('create.campaign')} about={t('create.campaignAbout')}>
          <Stack>
            <FormProblem errors={errors.campaign} />
            <CampaignFields draft={campaign} errors={errors.campaign} onChange={setCampaign} />
          </Stack>
        </Panel>
        <Panel title={t('create.persona')} about={t('create.personaAbout')}>
          <Stack>
            <FormProblem errors={errors.persona} />
            <PersonaFields draft={persona} errors={errors.persona} onChange={setPersona} />
          </Stack>
        </Panel>
        <Panel title={t('create.banners')} about={t('create.bannersAbout')}>
          <Stack>
            <FormProblem errors={errors.banners} />
            <Uploads cuid={cuid} drafts={banners} errors={errors.banners} onChange={setBanners} />
          </Stack>
        </Panel>
        <Group gap="md">
          <Button type="submit" size="md" loading={busy}>
            {t('create.submit')}
          </Button>
          <Text size="sm" c="dimmed">
            {t('create.about')}
          </Text>
        </Group>
      </Stack>
    </form>
  )
}
