// One more persona for a campaign, with its banners, in one go.

import { Button, Group, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api, keyOf, newIdempotencyKey } from '../api/client.ts'
import { createBanners, NO_BANNERS, Uploads } from '../banners/uploads.tsx'
import { useDirty } from '../form/create-form.tsx'
import { useFieldErrors } from '../form/field-errors.ts'
import { FormProblem } from '../form/form-problem.tsx'
import { useUnsaved } from '../form/unsaved.ts'
import { useCuid } from '../session/session.ts'
import { useCampaignCrumbs } from '../shell/crumbs.ts'
import { PageHead } from '../shell/page-head.tsx'
import { Panel } from '../shell/panel.tsx'
import { t } from '../words/words.ts'
import { personasQuery } from './data.ts'
import { newPersonaDraft, personaBodyOf } from './draft.ts'
import { PersonaFields } from './fields.tsx'

export function NewPersonaPage() {
  const cuid = useCuid()
  const { cid } = useParams({ from: '/inside/customer/campaigns/$cid/new-persona' })
  const [draft, setDraft] = useState(() => newPersonaDraft(t('personas.firstName')))
  const [banners, setBanners] = useState(NO_BANNERS)
  const [pid, setPid] = useState<number | null>(null)
  const [formKey] = useState(newIdempotencyKey)
  const [busy, setBusy] = useState(false)
  const typed = useDirty([draft, banners.clickUrl])
  const letGo = useUnsaved(typed || banners.list.length > 0)
  const personaErrors = useFieldErrors()
  const bannerErrors = useFieldErrors()
  const client = useQueryClient()
  const navigate = useNavigate()

  const save = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    personaErrors.clear()
    bannerErrors.clear()
    let errors = personaErrors
    try {
      const body = personaBodyOf(draft)
      const persona =
        pid === null
          ? await api.createPersona({ cuid, cid, body }, { idempotencyKey: keyOf(formKey, body) })
          : await api.editPersona({ cuid, cid, pid, body })
      setPid(persona.pid)
      client.invalidateQueries({ queryKey: personasQuery(cuid, cid).queryKey })
      errors = bannerErrors
      await createBanners(cuid, persona, banners)
      letGo()
      navigate({ to: '/campaigns/$cid/personas/$pid', params: { cid, pid: persona.pid } })
    } catch (error) {
      errors.take(error)
    }
    setBusy(false)
  }
  return (
    <form onSubmit={save} noValidate>
      <PageHead title={t('personas.new')} crumbs={useCampaignCrumbs(cuid, cid)} />
      <Stack gap="lg" maw={900}>
        <Panel title={t('personas.targeting')}>
          <Stack>
            <FormProblem errors={personaErrors} />
            <PersonaFields draft={draft} errors={personaErrors} onChange={setDraft} />
          </Stack>
        </Panel>
        <Panel title={t('banners.title')}>
          <Stack>
            <FormProblem errors={bannerErrors} />
            <Uploads cuid={cuid} drafts={banners} errors={bannerErrors} onChange={setBanners} />
          </Stack>
        </Panel>
        <Group>
          <Button type="submit" size="md" loading={busy}>
            {t('personas.create')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
