// Creates campaign, persona and banners in one call: if anything is wrong, nothing is created, and each error is shown
// at its field.

import { Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { Reach } from '../../src/diagnose/reach/contract.ts'
import { api, keyOf, newIdempotencyKey } from '../api/client.ts'
import { BalanceLine } from '../balance/balance-line.tsx'
import { type BannerDrafts, bannerBodies, NO_BANNERS, Uploads, uploadsInTheWay } from '../banners/uploads.tsx'
import { useDirty } from '../form/create-form.tsx'
import { errorsBelow, useFieldErrors } from '../form/field-errors.ts'
import { FormProblem } from '../form/form-problem.tsx'
import { writeNumber } from '../form/number.ts'
import { SubmitButton } from '../form/submit-button.tsx'
import { useUnsaved } from '../form/unsaved.ts'
import { homeCountry } from '../period/home.ts'
import { newPersonaDraft, type PersonaDraft, personaBodyOf } from '../personas/draft.ts'
import { PersonaFields } from '../personas/fields.tsx'
import { nowMs } from '../sandbox/clock.ts'
import { ForEditors } from '../session/for-editors.tsx'
import { useCuid, useSession } from '../session/session.ts'
import { useNotice } from '../shell/notice.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { Panel } from '../shell/panel.tsx'
import { isProposed } from '../words/error-words.ts'
import { t } from '../words/words.ts'
import { bodyOf, type CampaignDraft, newDraft } from './draft.ts'
import { CampaignFields } from './fields.tsx'
import { MostCost } from './most-cost-text.tsx'
import { Outlook } from './outlook.tsx'
import { useUnusual } from './unusual.tsx'

const PERSONA = '/personas/0'

export function CreatePage() {
  return (
    <ForEditors title={t('campaigns.new')}>
      <NewCampaign />
    </ForEditors>
  )
}

interface Drafts {
  campaign: CampaignDraft
  persona: PersonaDraft
  banners: BannerDrafts
  /** The price that wins, where that is known. */
  proposed: number | null
}

function newBody({ campaign, persona, banners, proposed }: Drafts) {
  const own = bodyOf(campaign)
  return {
    ...own,
    cpm: own.pricing === 'cpm' ? (own.cpm ?? proposed) : own.cpm,
    personas: [{ ...personaBodyOf(persona), banners: bannerBodies(banners) }],
  }
}

function NewCampaign() {
  const cuid = useCuid()
  const client = useQueryClient()
  const navigate = useNavigate()
  const notice = useNotice()
  const { defaultCpm } = useSession()
  const [campaign, setCampaign] = useState(() => newDraft(nowMs() / 1000, t('campaigns.firstName')))
  const [persona, setPersona] = useState(() => newPersonaDraft(t('personas.firstName'), homeCountry()))
  const [banners, setBanners] = useState(NO_BANNERS)
  const [winning, setWinning] = useState<Reach['winning']>(null)
  const [formKey] = useState(newIdempotencyKey)
  const [busy, setBusy] = useState(false)
  const [sent, setSent] = useState(false)
  const unusual = useUnusual(cuid, t('create.submit'))
  const typed = useDirty([campaign, persona, banners.clickUrl])
  const letGo = useUnsaved(typed || banners.list.length > 0)
  const proposed = winning?.half ?? null
  const body = newBody({ campaign, persona, banners, proposed })
  const errors = useFieldErrors(body)
  const inTheWay = uploadsInTheWay(banners)

  const save = async (event: FormEvent) => {
    event.preventDefault()
    setSent(true)
    errors.clear()
    if (inTheWay) return errors.lead()
    if (await unusual.isMeant(body.dailySpend)) await create()
  }

  const create = async () => {
    setBusy(true)
    try {
      const made = await api.createCampaign({ cuid, body }, { idempotencyKey: keyOf(formKey, body) })
      client.invalidateQueries({ queryKey: ['campaigns', cuid] })
      client.invalidateQueries({ queryKey: ['issues', cuid] })
      letGo()
      // Replaced, so that Back does not lead to the form, which would be empty.
      navigate({ to: '/campaigns/$cid/created', params: { cid: made.cid }, replace: true })
    } catch (error) {
      if (isProposed(error)) {
        letGo()
        notice.proposed()
        return navigate({ to: '/proposals', replace: true })
      }
      errors.take(error)
    }
    setBusy(false)
  }
  return (
    <form onSubmit={save} noValidate>
      <PageHead title={t('campaigns.new')} crumbs={[{ name: t('campaigns.title'), to: '/campaigns' }]} />
      <div className="create-columns">
        <Stack gap="lg">
          <FormProblem errors={errors} />
          <Panel title={t('create.campaign')} about={t('create.campaignAbout')}>
            <BalanceLine cuid={cuid} />
            <CampaignFields
              draft={campaign}
              errors={errors}
              onChange={setCampaign}
              isNew
              proposed={proposed}
            />
          </Panel>
          <Panel title={t('create.persona')} about={t('create.personaAbout')}>
            <PersonaFields draft={persona} errors={errorsBelow(errors, PERSONA)} onChange={setPersona} />
          </Panel>
          <Panel title={t('create.banners')} about={t('create.bannersAbout')}>
            <Uploads
              cuid={cuid}
              drafts={banners}
              errors={errors}
              inTheWay={sent ? inTheWay : null}
              pathOf={index => `${PERSONA}/banners/${index}`}
              onChange={setBanners}
            />
          </Panel>
          {unusual.question}
          <Deed draft={campaign} busy={busy} />
        </Stack>
        <Outlook
          {...{ cuid, campaign, persona, banners }}
          usual={proposed ?? defaultCpm}
          onWinning={setWinning}
          onPrice={cpm => setCampaign(draft => ({ ...draft, pricing: 'cpm', cpm: writeNumber(cpm, 2) }))}
        />
      </div>
    </form>
  )
}

function Deed({ draft, busy }: { draft: CampaignDraft; busy: boolean }) {
  return (
    <div className="create-deed">
      <div className="create-most">
        <MostCost draft={draft} />
      </div>
      <SubmitButton size="md" busy={busy}>
        {t('create.submit')}
      </SubmitButton>
      <Text className="desk" size="sm" c="dimmed">
        {t('create.about')}
      </Text>
    </div>
  )
}
