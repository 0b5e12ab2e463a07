// Changes a publisher, over the version that was read when the dialog opened.

import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type Tagged, tagged } from '../api/client.ts'
import { CreateForm, useDirty } from '../form/create-form.tsx'
import { Dialog } from '../form/dialog.tsx'
import { useFieldErrors } from '../form/field-errors.ts'
import { useNotice } from '../shell/notice.tsx'
import { Refused, Waiting } from '../shell/states.tsx'
import { t } from '../words/words.ts'
import { type SeenSource, useReadAgain } from './data.ts'
import { SourceFields, sourceBodyOf, sourceDraftOf } from './fields.tsx'

export function EditSource({ source: { sourceId, name } }: { source: SeenSource }) {
  const [opened, setOpened] = useState(false)
  const close = () => setOpened(false)
  return (
    <>
      <Button variant="default" aria-label={t('sources.editNamed', { name })} onClick={() => setOpened(true)}>
        {t('sources.edit')}
      </Button>
      <Dialog opened={opened} onClose={close} size="lg" title={t('sources.editNamed', { name })}>
        <Current sourceId={sourceId} onClose={close} />
      </Dialog>
    </>
  )
}

function Current({ sourceId, onClose }: { sourceId: number; onClose: () => void }) {
  const source = useQuery({
    queryKey: ['source', sourceId],
    queryFn: () => tagged(api.withMeta.readSource({ sourceId })),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (source.isPending) return <Waiting height={200} />
  if (!source.data) return <Refused error={source.error} onRetry={() => source.refetch()} />
  return <Form source={source.data} onClose={onClose} />
}

function Form({ source, onClose }: { source: Tagged<SeenSource>; onClose: () => void }) {
  const [draft, setDraft] = useState(() => sourceDraftOf(source))
  const errors = useFieldErrors(sourceBodyOf(draft))
  const notice = useNotice()
  const readAgain = useReadAgain()
  const { sourceId } = source
  const save = async () => {
    const { kind, ...body } = sourceBodyOf(draft)
    const { domain, billsOn, allowsCpc, ...rest } = body
    const edit = kind === 'site' ? { ...rest, domain } : { ...rest, billsOn: billsOn!, allowsCpc: allowsCpc! }
    await api.editSource({ sourceId, body: edit }, { ifMatch: source.etag ?? undefined })
    await readAgain()
    notice.done(t('form.saved'))
    onClose()
  }
  return (
    <CreateForm
      action={t('form.save')}
      errors={errors}
      dirty={useDirty(draft)}
      create={save}
      onCancel={onClose}
    >
      <SourceFields draft={draft} errors={errors} onChange={setDraft} />
    </CreateForm>
  )
}
