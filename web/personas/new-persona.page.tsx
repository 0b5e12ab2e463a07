// Adds a persona and its banners to a campaign in one call.

import { Group, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api, keyOf, newIdempotencyKey } from '../api/client.ts'
import { bannerBodies, NO_BANNERS, Uploads, uploadsInTheWay } from '../banners/uploads.tsx'
import { readCampaignsAgain } from '../campaigns/status-again.ts'
import { useDirty } from '../form/create-form.tsx'
import { useFieldErrors } from '../form/field-errors.ts'
import { FormProblem } from '../form/form-problem.tsx'
import { SubmitButton } from '../form/submit-button.tsx'
import { useUnsaved } from '../form/unsaved.ts'
import { homeCountry } from '../period/home.ts'
import { ForEditors } from '../session/for-editors.tsx'
import { useCuid } from '../session/session.ts'
import { useCampaignCrumbs } from '../shell/crumbs.ts'
import { PageHead } from '../shell/page-head.tsx'
import { Panel } from '../shell/panel.tsx'
import { t } from '../words/words.ts'
import { personasQuery } from './data.ts'
import { newPersonaDraft, personaBodyOf } from './draft.ts'
import { PersonaFields } from './fields.tsx'

export function NewPersonaPage() {
  return (
    <ForEditors title={t('personas.new')}>
      <NewPersona />
    </ForEditors>
  )
}

function NewPersona() {
  const cuid = useCuid()
  const { cid } = useParams({ from: '/inside/customer/campaigns/$cid/new-persona' })
  const [draft, setDraft] = useState(() => newPersonaDraft(t('personas.firstName'), homeCountry()))
  const [banners, setBanners] = useState(NO_BANNERS)
  const [formKey] = useState(newIdempotencyKey)
  const [busy, setBusy] = useState(false)
  const [sent, setSent] = useState(false)
  const typed = useDirty([draft, banners.clickUrl])
  const letGo = useUnsaved(typed || banners.list.length > 0)
  const body = { ...personaBodyOf(draft), banners: bannerBodies(banners) }
  const errors = useFieldErrors(body)
  const inTheWay = uploadsInTheWay(banners)
  const client = useQueryClient()
  const navigate = useNavigate()

  const save = async (event: FormEvent) => {
    event.preventDefault()
    setSent(true)
    errors.clear()
    if (inTheWay) return errors.lead()
    setBusy(true)
    try {
      const { pid } = await api.createPersona({ cuid, cid, body }, { idempotencyKey: keyOf(formKey, body) })
      client.invalidateQueries({ queryKey: personasQuery(cuid, cid).queryKey })
      readCampaignsAgain(client, cuid)
      letGo()
      navigate({ to: '/campaigns/$cid/personas/$pid', params: { cid, pid }, replace: true })
    } catch (error) {
      errors.take(error)
    }
    setBusy(false)
  }
  return (
    <form onSubmit={save} noValidate>
      <PageHead title={t('personas.new')} crumbs={useCampaignCrumbs(cuid, cid)} />
      <Stack gap="lg" maw={900}>
        <FormProblem errors={errors} />
        <Panel title={t('personas.targeting')}>
          <PersonaFields draft={draft} errors={errors} onChange={setDraft} />
        </Panel>
        <Panel title={t('banners.title')}>
          <Uploads
            cuid={cuid}
            drafts={banners}
            errors={errors}
            inTheWay={sent ? inTheWay : null}
            pathOf={index => `/banners/${index}`}
            onChange={setBanners}
          />
        </Panel>
        <Group>
          <SubmitButton size="md" busy={busy}>
            {t('personas.create')}
          </SubmitButton>
        </Group>
      </Stack>
    </form>
  )
}
