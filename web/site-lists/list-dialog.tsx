// Creates a site list, or changes one over the version that was read when the dialog opened.

import { TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { SiteList } from '../../src/manage/site-lists/contract.ts'
import { api, type Tagged, tagged } from '../api/client.ts'
import { CreateForm, useDirty } from '../form/create-form.tsx'
import { Dialog } from '../form/dialog.tsx'
import { useFieldErrors } from '../form/field-errors.ts'
import { LinesField, linesOf } from '../form/lines-field.tsx'
import { useNotice } from '../shell/notice.tsx'
import { Refused, Waiting } from '../shell/states.tsx'
import { t } from '../words/words.ts'
import { useListsAgain } from './data.ts'

/** `editing`: the key of a list; null: a new one is created. */
export function ListDialog({ editing, onClose }: { editing: string | null; onClose: () => void }) {
  const title = editing === null ? t('lists.new') : t('lists.editNamed', { name: editing })
  return (
    <Dialog opened onClose={onClose} size="lg" title={title}>
      {editing === null ? (
        <Form list={null} onClose={onClose} />
      ) : (
        <Current listKey={editing} onClose={onClose} />
      )}
    </Dialog>
  )
}

function Current({ listKey, onClose }: { listKey: string; onClose: () => void }) {
  const list = useQuery({
    queryKey: ['site-list', listKey],
    queryFn: () => tagged(api.withMeta.readSiteList({ listKey })),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (list.isPending) return <Waiting height={200} />
  if (!list.data) return <Refused error={list.error} onRetry={() => list.refetch()} />
  return <Form list={list.data} onClose={onClose} />
}

function Form({ list, onClose }: { list: Tagged<SiteList> | null; onClose: () => void }) {
  const [draft, setDraft] = useState(() => ({
    key: list?.key ?? '',
    name: list?.name ?? '',
    entries: list?.entries.join('\n') ?? '',
  }))
  const body = { name: draft.name.trim() || null, entries: linesOf(draft.entries) }
  const errors = useFieldErrors({ ...body, listKey: draft.key })
  const notice = useNotice()
  const readAgain = useListsAgain()
  const save = async () => {
    await api.putSiteList({ listKey: draft.key.trim(), body }, { ifMatch: list?.etag ?? undefined })
    await readAgain()
    notice.done(t('form.saved'))
    onClose()
  }
  return (
    <CreateForm
      action={t(list ? 'form.save' : 'lists.create')}
      errors={errors}
      dirty={useDirty(draft)}
      create={save}
      onCancel={onClose}
    >
      {!list && (
        <TextInput
          label={t('lists.key')}
          description={t('lists.keyAbout')}
          autoComplete="off"
          withAsterisk
          data-autofocus
          value={draft.key}
          error={errors.at('/listKey')}
          onChange={event => setDraft({ ...draft, key: event.currentTarget.value })}
        />
      )}
      <TextInput
        label={t('lists.name')}
        autoComplete="off"
        value={draft.name}
        error={errors.at('/name')}
        onChange={event => setDraft({ ...draft, name: event.currentTarget.value })}
      />
      <LinesField
        label={t('lists.entries')}
        about={t('lists.entriesAbout')}
        rows={6}
        value={draft.entries}
        error={errors.at('/entries')}
        onChange={entries => setDraft({ ...draft, entries })}
      />
    </CreateForm>
  )
}
