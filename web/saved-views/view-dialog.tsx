// Saves what is shown under a name, or changes or removes a saved view; and to whom it is mailed, and when.

import { Button, Checkbox, Group, Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { EVERY } from '../../src/saved-views/contract.ts'
import { api, keyOf } from '../api/client.ts'
import { CreateForm, useDirty } from '../form/create-form.tsx'
import { Dialog } from '../form/dialog.tsx'
import { type FieldErrors, useFieldErrors } from '../form/field-errors.ts'
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
  const title = view ? t('views.edit', { name: view.name }) : t('views.new')
  return (
    <Dialog opened onClose={onClose} title={title}>
      <Form {...props} />
    </Dialog>
  )
}

function Form({ cuid, cid, shown, view, onClose }: ViewDialogProps) {
  const [draft, setDraft] = useState(() => ({
    name: view?.name ?? '',
    every: view?.every ?? ('off' as SavedView['every']),
    mailTo: view?.mailTo ?? [],
    takesShown: false,
  }))
  const errors = useFieldErrors(draft)
  const notice = useNotice()
  const calls = useSavedViewCalls(cuid)
  const { name, every, mailTo } = draft
  const save = async (formKey: string) => {
    const mailed = { name, every, mailTo }
    if (view) {
      const body = { ...mailed, ...(draft.takesShown ? shown : {}) }
      await calls.change.mutateAsync({ vid: view.vid, body })
    } else {
      const body = { ...mailed, ...shown, cid }
      await calls.save.mutateAsync({ body, idempotencyKey: keyOf(formKey, body) })
    }
    notice.done(t('views.saved', { name }))
    onClose()
  }
  const remove = () =>
    calls.remove
      .mutateAsync(view!.vid)
      .then(() => {
        notice.done(t('views.removed', { name: view!.name }))
        onClose()
      })
      .catch(errors.take)
  return (
    <CreateForm
      action={t(view ? 'form.save' : 'views.save')}
      errors={errors}
      dirty={useDirty(draft)}
      create={save}
      onCancel={onClose}
    >
      <TextInput
        label={t('views.name')}
        {...(view ? {} : { description: t('views.aboutNew') })}
        withAsterisk
        maxLength={100}
        data-autofocus
        value={name}
        error={errors.at('/name')}
        onChange={event => setDraft({ ...draft, name: event.currentTarget.value })}
      />
      <Select
        label={t('views.every')}
        allowDeselect={false}
        value={every}
        data={EVERY.map(value => ({ value, label: named('every', value) }))}
        onChange={next => next && setDraft({ ...draft, every: next as SavedView['every'] })}
      />
      {every !== 'off' && (
        <Readers
          cuid={cuid}
          chosen={mailTo}
          errors={errors}
          onChange={next => setDraft({ ...draft, mailTo: next })}
        />
      )}
      {view && (
        <Switch
          label={t('views.takeShown')}
          description={t('views.takeShownAbout')}
          checked={draft.takesShown}
          onChange={event => setDraft({ ...draft, takesShown: event.currentTarget.checked })}
        />
      )}
      {view && (
        <Group>
          <Button variant="default" loading={calls.remove.isPending} onClick={remove}>
            {t('views.remove')}
          </Button>
        </Group>
      )}
    </CreateForm>
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
  const { person } = useSession()
  const { data: members = [] } = useQuery({
    queryKey: ['members', cuid],
    queryFn: () => api.listMembers({ cuid }),
  })
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
                {email === person?.email
                  ? t('views.you', { name: nameOf(email, name) })
                  : nameOf(email, name)}
              </Text>
            }
          />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}
