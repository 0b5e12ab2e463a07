// One persona: its banners, its targeting, its statistics.

import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import type { PersonaEdit } from '../../src/manage/personas/contract.ts'
import { api, type Tagged, tagged } from '../api/client.ts'
import { BannerTable } from '../banners/banner-table.tsx'
import { CopyButton } from '../form/copy-button.tsx'
import { DeleteButton } from '../form/delete-button.tsx'
import { DeliverSwitch } from '../form/deliver-switch.tsx'
import { EditForm } from '../form/edit-form.tsx'
import { useFieldErrors } from '../form/field-errors.ts'
import { useEdit } from '../form/use-edit.ts'
import { PeriodPicker } from '../period/period-picker.tsx'
import { useCuid } from '../session/session.ts'
import { useCampaignCrumbs } from '../shell/crumbs.ts'
import { Gone, isGone } from '../shell/not-found.tsx'
import { useNotice } from '../shell/notice.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { PageTabs, shownTab } from '../shell/page-tabs.tsx'
import { Refused, Waiting } from '../shell/states.tsx'
import { StatusBadge } from '../shell/status-badge.tsx'
import { t } from '../words/words.ts'
import {
  type Persona,
  useCopyPersona,
  useDeletePersona,
  useKeepPersona,
  usePersona,
  useRestorePersona,
  useSwitchPersonas,
} from './data.ts'
import { personaBodyOf, personaDraftOf } from './draft.ts'
import { PersonaFields } from './fields.tsx'

const Figures = lazy(async () => ({ default: (await import('../stats/subject-stats.tsx')).SubjectStats }))
const TABS = ['banners', 'targeting', 'statistics']

export function PersonaPage() {
  const cuid = useCuid()
  const { cid, pid } = useParams({ from: '/inside/customer/campaigns/$cid/personas/$pid' })
  const { tab } = useSearch({ from: '/inside/customer/campaigns/$cid/personas/$pid' })
  const persona = usePersona(cuid, cid, pid)
  const switching = useSwitchPersonas(cuid, cid)
  const removing = useDeletePersona(cuid, cid)
  const restore = useRestorePersona(cuid, cid)
  const copying = useCopyPersona(cuid, cid)
  const crumbs = useCampaignCrumbs(cuid, cid)
  const navigate = useNavigate()
  const notice = useNotice()
  if (persona.isPending) return <Waiting />
  if (isGone(persona.error)) return <Gone to={`/campaigns/${cid}`} word={t('common.toCampaign')} />
  if (!persona.data) return <Refused error={persona.error} onRetry={() => persona.refetch()} />
  const { name, enabled } = persona.data
  const shown = shownTab(TABS, tab)
  const open = (opened: number) =>
    navigate({ to: '/campaigns/$cid/personas/$pid', params: { cid, pid: opened } })
  const leave = () => {
    navigate({ to: '/campaigns/$cid', params: { cid } })
    notice.undo(t('personas.deleted', { name }), () => restore(pid).then(() => open(pid)))
  }
  const copy = () =>
    copying.mutate(
      { pid, name },
      {
        onSuccess: made => {
          notice.done(t('personas.copied'))
          open(made.pid)
        },
        onError: notice.refused,
      },
    )
  const contents = [
    {
      value: 'banners',
      label: t('banners.title'),
      content: <BannerTable cuid={cuid} cid={cid} pid={pid} />,
    },
    {
      value: 'targeting',
      label: t('personas.targeting'),
      content: <EditPersona key={pid} cuid={cuid} persona={persona.data} />,
    },
    {
      value: 'statistics',
      label: t('shell.statistics'),
      content: (
        <Suspense fallback={<Waiting />}>
          <Figures subject={{ id: pid, kind: 'persona', cid, pid }} />
        </Suspense>
      ),
    },
  ]
  return (
    <>
      <PageHead title={name} badge={<StatusBadge status={enabled ? 'on' : 'paused'} />} crumbs={crumbs}>
        <DeliverSwitch
          label={t('personas.deliver')}
          checked={enabled}
          onChange={next => switching.mutate({ pids: [pid], enabled: next }, { onError: notice.refused })}
        />
        {shown !== 'targeting' && <PeriodPicker />}
        <CopyButton busy={copying.isPending} onCopy={copy} />
        <DeleteButton
          title={t('personas.deleteTitle', { name })}
          about={t('personas.deleteAbout')}
          busy={removing.isPending}
          error={removing.error}
          onConfirm={() => removing.mutate(pid, { onSuccess: leave })}
        />
      </PageHead>
      <PageTabs shown={shown} tabs={contents} />
    </>
  )
}

/** The form that changes the targeting of a persona. */
function EditPersona({ cuid, persona }: { cuid: number; persona: Tagged<Persona> }) {
  const { cid, pid } = persona
  const edit = useEdit({
    current: persona,
    draftOf: personaDraftOf,
    bodyOf: personaBodyOf,
    read: () => tagged(api.withMeta.readPersona({ cuid, cid, pid })),
    write: (changes, ifMatch) =>
      tagged(api.withMeta.editPersona({ cuid, cid, pid, body: changes as PersonaEdit }, { ifMatch })),
    keep: useKeepPersona(cuid, cid),
  })
  const errors = useFieldErrors(edit.body)
  return (
    <EditForm title={t('personas.targeting')} errors={errors} edit={edit}>
      <PersonaFields draft={edit.draft} errors={errors} onChange={edit.setDraft} />
    </EditForm>
  )
}
