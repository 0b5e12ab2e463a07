// Declares an attribute, or changes one over the version that was read when the dialog opened. Values that personas
// target are taken away only at the second click, after the reader has seen by whom.

import { Radio, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { KEY_PATTERN, KINDS } from '../../src/manage/attributes/contract.ts'
import { api, MarqueeError, type Tagged, tagged } from '../api/client.ts'
import { CreateForm, useDirty } from '../form/create-form.tsx'
import { Dialog } from '../form/dialog.tsx'
import { type FieldErrors, useFieldErrors } from '../form/field-errors.ts'
import { LinesField } from '../form/lines-field.tsx'
import { useNotice } from '../shell/notice.tsx'
import { Refused, Waiting } from '../shell/states.tsx'
import { named, t } from '../words/words.ts'
import { type Attribute, type UsedAttribute, useAttributesAgain, usesOf } from './data.ts'
import { type AttributeDraft, attributeBodyOf, attributeDraftOf, NEW_ATTRIBUTE } from './draft.ts'

const KEY = new RegExp(KEY_PATTERN)

interface AttributeDialogProps {
  /** Null: a new one is declared. */
  editing: Attribute | null
  /** What there is already. */
  keys: readonly string[]
  onClose: () => void
}

export function AttributeDialog({ editing, keys, onClose }: AttributeDialogProps) {
  const title = editing ? t('lists.editNamed', { name: editing.label }) : t('attributes.new')
  return (
    <Dialog opened onClose={onClose} size="lg" title={title}>
      {editing ? (
        <Current attributeKey={editing.key} onClose={onClose} />
      ) : (
        <Form attribute={null} keys={keys} onClose={onClose} />
      )}
    </Dialog>
  )
}

function Current({ attributeKey: key, onClose }: { attributeKey: string; onClose: () => void }) {
  const attribute = useQuery({
    queryKey: ['app-attribute', key],
    queryFn: () => tagged(api.withMeta.readAttribute({ key })),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (attribute.isPending) return <Waiting height={200} />
  if (!attribute.data) return <Refused error={attribute.error} onRetry={() => attribute.refetch()} />
  return <Form attribute={attribute.data} keys={[]} onClose={onClose} />
}

interface FormProps {
  attribute: Tagged<UsedAttribute> | null
  keys: readonly string[]
  onClose: () => void
}

function Form({ attribute, keys, onClose }: FormProps) {
  const [draft, setDraft] = useState(() => (attribute ? attributeDraftOf(attribute) : NEW_ATTRIBUTE))
  const body = attributeBodyOf(draft, attribute?.choices ?? [])
  const errors = useFieldErrors({ ...body, key: draft.key })
  /** The key that was wrong, and the values that were refused because personas target some. */
  const [wrongKey, setWrongKey] = useState<string | null>(null)
  const [refused, setRefused] = useState<string | null>(null)
  const notice = useNotice()
  const readAgain = useAttributesAgain()
  const key = draft.key.trim()
  const force = refused === draft.choices
  const save = async () => {
    if (!attribute && (!KEY.test(key) || keys.includes(key))) {
      setWrongKey(draft.key)
      errors.lead()
      return
    }
    try {
      await api.putAttribute({ key, force, body }, { ifMatch: attribute?.etag ?? undefined })
    } catch (error) {
      if (error instanceof MarqueeError && error.is('attribute_in_use')) setRefused(draft.choices)
      throw error
    }
    await readAgain()
    notice.done(t('form.saved'))
    onClose()
  }
  const keyError = wrongKey === draft.key && t(keys.includes(key) ? 'attributes.taken' : 'attributes.badKey')
  return (
    <CreateForm
      action={t(force ? 'attributes.saveAnyway' : attribute ? 'form.save' : 'attributes.create')}
      errors={errors}
      dirty={useDirty(draft)}
      create={save}
      onCancel={onClose}
    >
      {!attribute && (
        <OfNew draft={draft} error={keyError || errors.at(':key')} errors={errors} onChange={setDraft} />
      )}
      <Fields draft={draft} errors={errors} onChange={setDraft} />
      {attribute && attribute.uses > 0 && <Text size="sm">{usesOf(attribute)}</Text>}
    </CreateForm>
  )
}

interface FieldsProps {
  draft: AttributeDraft
  errors: FieldErrors
  onChange: (draft: AttributeDraft) => void
}

/** What cannot be changed later. */
function OfNew({ draft, error, errors, onChange }: FieldsProps & { error: string | undefined }) {
  return (
    <>
      <TextInput
        label={t('lists.key')}
        description={t('attributes.keyAbout')}
        autoComplete="off"
        spellCheck={false}
        withAsterisk
        data-autofocus
        value={draft.key}
        error={error}
        onChange={event => onChange({ ...draft, key: event.currentTarget.value })}
      />
      <Radio.Group
        label={t('attributes.kind')}
        value={draft.kind}
        error={errors.at('/kind')}
        onChange={kind => onChange({ ...draft, kind: kind as AttributeDraft['kind'] })}
      >
        <Stack gap="xs" mt={4}>
          {KINDS.map(kind => (
            <Radio key={kind} value={kind} label={named('attributes.kind', kind)} />
          ))}
        </Stack>
      </Radio.Group>
    </>
  )
}

const SWITCHES = ['appOnly', 'fromPublic'] as const

function Fields({ draft, errors, onChange }: FieldsProps) {
  return (
    <>
      <TextInput
        label={t('attributes.label')}
        description={t('attributes.labelAbout')}
        autoComplete="off"
        value={draft.label}
        error={errors.at('/label')}
        onChange={event => onChange({ ...draft, label: event.currentTarget.value })}
      />
      {draft.kind === 'choice' && (
        <LinesField
          label={t('attributes.choices')}
          about={t('attributes.choicesAbout')}
          rows={4}
          value={draft.choices}
          error={errors.at('/choices')}
          onChange={choices => onChange({ ...draft, choices })}
        />
      )}
      {SWITCHES.map(name => (
        <Switch
          key={name}
          label={t(`attributes.${name}`)}
          description={t(`attributes.${name}About`)}
          checked={draft[name]}
          error={errors.at(`/${name}`)}
          onChange={event => onChange({ ...draft, [name]: event.currentTarget.checked })}
        />
      ))}
    </>
  )
}
