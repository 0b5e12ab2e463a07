// Adds a publisher; its secrets are shown here once and never again.

import { Radio, Stack } from '@mantine/core'
import { useState } from 'react'
import type { CreatedSource } from '../../src/manage/sources/contract.ts'
import { api, keyOf } from '../api/client.ts'
import { CreateForm, useDirty } from '../form/create-form.tsx'
import { Dialog } from '../form/dialog.tsx'
import { useFieldErrors } from '../form/field-errors.ts'
import { Secret, ShownOnce } from '../form/shown-once.tsx'
import { t } from '../words/words.ts'
import { useReadAgain } from './data.ts'
import { NEW_SOURCE, type SourceDraft, SourceFields, sourceBodyOf } from './fields.tsx'

export function NewSource({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [created, setCreated] = useState<CreatedSource | null>(null)
  const close = () => {
    onClose()
    setCreated(null)
  }
  return (
    <Dialog opened={opened} onClose={close} size="lg" title={t('sources.new')} locked={created !== null}>
      {created ? (
        <ShownOnce count={1} about={aboutSecrets(created.secrets)} onClose={close}>
          <Secrets secrets={created.secrets} />
        </ShownOnce>
      ) : (
        <Form onCreated={setCreated} onClose={close} />
      )}
    </Dialog>
  )
}

type SecretsOf = CreatedSource['secrets']

export function Secrets({ secrets: { serverKey, bidUrl } }: { secrets: SecretsOf }) {
  return (
    <>
      {serverKey && <Secret label={t('sources.secretServerKey')} value={serverKey} />}
      {bidUrl && <Secret label={t('sources.secretBidUrl')} value={bidUrl} />}
    </>
  )
}

export function aboutSecrets({ serverKey }: SecretsOf): string {
  return t(serverKey ? 'sources.serverKeyAbout' : 'sources.bidUrlAbout')
}

interface FormProps {
  onCreated: (created: CreatedSource) => void
  onClose: () => void
}

function Form({ onCreated, onClose }: FormProps) {
  const [draft, setDraft] = useState(NEW_SOURCE)
  const errors = useFieldErrors(sourceBodyOf(draft))
  const readAgain = useReadAgain()
  const create = async (formKey: string) => {
    const body = sourceBodyOf(draft)
    const created = await api.addSource({ body }, { idempotencyKey: keyOf(formKey, body) })
    await readAgain()
    onCreated(created)
  }
  return (
    <CreateForm
      action={t('sources.create')}
      errors={errors}
      dirty={useDirty(draft)}
      create={create}
      onCancel={onClose}
    >
      <Radio.Group
        label={t('sources.kind')}
        value={draft.kind}
        onChange={kind => setDraft({ ...draft, kind: kind as SourceDraft['kind'] })}
      >
        <Stack gap="xs" mt={4}>
          <Radio value="site" label={t('sources.kindSite')} data-autofocus />
          <Radio value="exchange" label={t('sources.kindExchange')} />
        </Stack>
      </Radio.Group>
      <SourceFields draft={draft} errors={errors} onChange={setDraft} />
    </CreateForm>
  )
}
