// Saves what is shown under a name, or changes or removes a saved view; also to whom it is emailed, and when.

import { Button, Checkbox, Group, Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { EVERY } from '../../src/report/saved-views/contract.ts'
import { api, keyOf, newIdempotencyKey, tagged } from '../api/client.ts'
import { CreateForm, useDirty } from '../form/create-form.tsx'
import { Dialog } from '../form/dialog.tsx'
import { EditDialog } from '../form/edit-dialog.tsx'
import { type FieldErrors, useFieldErrors } from '../form/field-errors.ts'
import { useOnce } from '../form/once.ts'
import { useEdit } from '../form/use-edit.ts'
import { useSession } from '../session/session.ts'
import { useNotice } from '../shell/notice.tsx'
import { named, t } from '../words/words.ts'
import { type SavedView, type Shown, useSavedViewCalls } from './data.ts'

interface ViewDialogProps {
  cuid: number
  cid: number | null
  shown: Shown
  /** Null: a new one. */
  view: SavedView | null
  onClose: () => void
}

export function ViewDialog(props: ViewDialogProps) {
  const { view, onClose } = props
  if (view) return <EditView {...props} view={view} />
  return (
    <Dialog opened onClose={onClose} title={t('views.new')}>
      <NewView {...props} />
    </Dialog>
  )
}

function NewView({ cuid, cid, shown, onClose }: ViewDialogProps) {
  const [draft, setDraft] = useState<Draft>({ name: '', every: 'off', mailTo: [] })
  const errors = useFieldErrors(draft)
  const notice = useNotice()
  const calls = useSavedViewCalls(cuid)
  const save = async (formKey: string) => {
    const body = { ...draft, ...shown, cid }
    await calls.save.mutateAsync({ body, idempotencyKey: keyOf(formKey, body) })
    notice.done(t('views.saved', { name: draft.name }))
    onClose()
  }
  return (
    <CreateForm
      action={t('views.save')}
      errors={errors}
      dirty={useDirty(draft)}
      create={save}
      onCancel={onClose}
    >
      <Fields
        isNew
        {...{ cuid, draft, errors }}
        onChange={change => setDraft(before => ({ ...before, ...change }))}
      />
    </CreateForm>
  )
}

/** `takesShown`: the view also takes what the page shows now. */
const draftOf = ({ name, every, mailTo }: SavedView) => ({ name, every, mailTo, takesShown: false })

function EditView({ cuid, shown, view, onClose }: ViewDialogProps & { view: SavedView }) {
  const { vid } = view
  const calls = useSavedViewCalls(cuid)
  const edit = useEdit({
    current: { ...view, etag: null },
    draftOf,
    bodyOf: draft => draft,
    read: () => tagged(api.withMeta.readSavedView({ cuid, vid })),
    write: (changes, ifMatch) => {
      const { takesShown, ...own } = changes as Partial<ReturnType<typeof draftOf>>
      const body = { ...own, ...(takesShown ? shown : {}) }
      return tagged(api.withMeta.editSavedView({ cuid, vid, body }, { ifMatch }))
    },
    keep: calls.readAgain,
  })
  const { draft, setDraft } = edit
  const errors = useFieldErrors(edit.body)
  const notice = useNotice()
  const remove = useOnce(calls.remove.isPending, () => {
    calls.remove
      .mutateAsync(vid)
      .then(() => {
        const key = newIdempotencyKey()
        notice.undo(t('views.removed', { name: view.name }), () => savedAgain(view, calls, key))
        onClose()
      })
      .catch(errors.take)
  })
  return (
    <EditDialog
      title={t('views.edit', { name: view.name })}
      saved={t('views.saved', { name: draft.name })}
      {...{ errors, edit, onClose }}
    >
      <Fields
        {...{ cuid, draft, errors }}
        onChange={change => setDraft(before => ({ ...before, ...change }))}
      />
      <Switch
        label={t('views.takeShown')}
        description={t('views.takeShownAbout')}
        checked={draft.takesShown}
        onChange={event => setDraft({ ...draft, takesShown: event.currentTarget.checked })}
      />
      <Group>
        <Button variant="default" loading={calls.remove.isPending} onClick={remove}>
          {t('views.remove')}
        </Button>
      </Group>
    </EditDialog>
  )
}

/** Leaves out readers who were removed since they were chosen, because a new view cannot have them. */
async function savedAgain(view: SavedView, { save }: ReturnType<typeof useSavedViewCalls>, key: string) {
  const { vid: _, cuid, created: _c, updated: _u, ...body } = view
  const members = new Set((await api.listMembers({ cuid })).map(({ mid }) => mid))
  const mailTo = body.mailTo.filter(mid => members.has(mid))
  const every = mailTo.length === 0 ? 'off' : body.every
  await save.mutateAsync({ body: { ...body, mailTo, every }, idempotencyKey: key })
}

type Draft = Pick<SavedView, 'name' | 'every' | 'mailTo'>

interface FieldsProps {
  cuid: number
  isNew?: boolean
  draft: Draft
  errors: FieldErrors
  onChange: (change: Partial<Draft>) => void
}

function Fields({ cuid, isNew = false, draft: { name, every, mailTo }, errors, onChange }: FieldsProps) {
  return (
    <>
      <TextInput
        label={t('views.name')}
        {...(isNew ? { description: t('views.aboutNew') } : {})}
        withAsterisk
        maxLength={100}
        data-autofocus
        value={name}
        error={errors.at('/name')}
        onChange={event => onChange({ name: event.currentTarget.value })}
      />
      <Select
        label={t('views.every')}
        allowDeselect={false}
        value={every}
        data={EVERY.map(value => ({ value, label: named('every', value) }))}
        onChange={next => next && onChange({ every: next as SavedView['every'] })}
      />
      {every !== 'off' && (
        <Readers cuid={cuid} chosen={mailTo} errors={errors} onChange={next => onChange({ mailTo: next })} />
      )}
    </>
  )
}

interface ReadersProps {
  cuid: number
  chosen: readonly number[]
  errors: FieldErrors
  onChange: (next: number[]) => void
}

/** The people who work for the customer, and nobody else. */
function Readers({ cuid, chosen, errors, onChange }: ReadersProps) {
  const { person, customer, staff } = useSession()
  const me = person?.email ?? (staff ? null : customer?.email)
  const { data: members = [] } = useQuery({
    queryKey: ['members', cuid],
    queryFn: () => api.listMembers({ cuid }),
  })
  const own = members.find(({ email }) => email === me)?.mid
  // Whoever turns mails on means themselves until they say otherwise.
  const isAsked = useRef(chosen.length > 0)
  useEffect(() => {
    if (own === undefined || isAsked.current) return
    isAsked.current = true
    onChange([own])
  }, [own, onChange])
  const nameOf = (email: string, name: string | null) => (name ? `${name}, ${email}` : email)
  return (
    <Checkbox.Group
      label={t('views.mailTo')}
      description={t('views.mailToAbout')}
      value={chosen.map(String)}
      error={errors.at('/mailTo')}
      onChange={next => onChange(next.map(Number))}
    >
      <Stack gap="xs" mt="xs" mah={220} style={{ overflowY: 'auto' }}>
        {members.map(({ mid, email, name }) => (
          <Checkbox
            key={mid}
            value={String(mid)}
            label={
              <Text size="sm" span style={{ overflowWrap: 'anywhere' }}>
                {mid === own ? t('views.you', { name: nameOf(email, name) }) : nameOf(email, name)}
              </Text>
            }
          />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}
