// Writes a note on a day, or changes or removes one.

import { Button, Group, SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { NoteEdit } from '../../src/manage/notes/contract.ts'
import { api, keyOf, newIdempotencyKey, tagged } from '../api/client.ts'
import { CreateForm, useDirty } from '../form/create-form.tsx'
import { Dialog } from '../form/dialog.tsx'
import { EditDialog } from '../form/edit-dialog.tsx'
import { type FieldErrors, useFieldErrors } from '../form/field-errors.ts'
import { inWords } from '../form/in-words.tsx'
import { useOnce } from '../form/once.ts'
import { useEdit } from '../form/use-edit.ts'
import { fullDay } from '../format/format.ts'
import { startOfDay } from '../period/zone.ts'
import { useNotice } from '../shell/notice.tsx'
import { t } from '../words/words.ts'
import { type Note, type NotesOf, useNoteCalls } from './data.ts'

const MAX_TEXT = 200

/** What the dialog is open for: a new note on a day, or an existing note. */
export type OpenNote = { day: string } | { note: Note }

interface NoteDialogProps {
  of: NotesOf
  open: OpenNote
  onClose: () => void
}

export function NoteDialog({ of, open, onClose }: NoteDialogProps) {
  if ('note' in open) return <EditNote cuid={of.cuid} note={open.note} onClose={onClose} />
  return (
    <Dialog opened onClose={onClose} title={t('notes.add')}>
      <NewNote of={of} day={open.day} onClose={onClose} />
    </Dialog>
  )
}

interface NewNoteProps {
  of: NotesOf
  day: string
  onClose: () => void
}

function NewNote({ of: { cuid, cid }, day, onClose }: NewNoteProps) {
  const [draft, setDraft] = useState({ day, text: '', isOfAll: cid === null })
  const errors = useFieldErrors(draft)
  const notice = useNotice()
  const calls = useNoteCalls(cuid)
  const save = async (formKey: string) => {
    const body = { day: draft.day, text: draft.text, cid: draft.isOfAll ? null : cid }
    await calls.write.mutateAsync({ body, idempotencyKey: keyOf(formKey, body) })
    notice.done(t('notes.added'))
    onClose()
  }
  return (
    <CreateForm
      action={t('notes.add')}
      errors={errors}
      dirty={useDirty(draft)}
      create={save}
      onCancel={onClose}
    >
      <Fields draft={draft} errors={errors} onChange={change => setDraft({ ...draft, ...change })} />
      {cid !== null && (
        <SegmentedControl
          aria-label={t('notes.about')}
          value={draft.isOfAll ? 'all' : 'this'}
          data={[
            { value: 'this', label: t('notes.thisCampaign') },
            { value: 'all', label: t('notes.everything') },
          ]}
          onChange={value => setDraft({ ...draft, isOfAll: value === 'all' })}
        />
      )}
    </CreateForm>
  )
}

const draftOf = ({ day, text }: Note) => ({ day, text })

function EditNote({ cuid, note, onClose }: { cuid: number; note: Note; onClose: () => void }) {
  const { nid } = note
  const calls = useNoteCalls(cuid)
  const edit = useEdit({
    current: { ...note, etag: null },
    draftOf,
    bodyOf: draft => draft,
    read: () => tagged(api.withMeta.readNote({ cuid, nid })),
    write: (changes, ifMatch) =>
      tagged(api.withMeta.editNote({ cuid, nid, body: changes as NoteEdit }, { ifMatch })),
    keep: calls.readAgain,
  })
  const errors = useFieldErrors(edit.body)
  const notice = useNotice()
  // The note is created anew, so its author is now the person who restored it.
  const undo = (idempotencyKey: string) => {
    const { day, text, cid } = note
    return calls.write.mutateAsync({ body: { day, text, cid }, idempotencyKey })
  }
  const remove = useOnce(calls.remove.isPending, () => {
    calls.remove
      .mutateAsync(nid)
      .then(() => {
        const key = newIdempotencyKey()
        notice.undo(t('notes.removed'), () => undo(key))
        onClose()
      })
      .catch(errors.take)
  })
  return (
    <EditDialog title={t('notes.edit')} saved={t('form.saved')} {...{ errors, edit, onClose }}>
      <Fields
        draft={edit.draft}
        errors={errors}
        onChange={change => edit.setDraft({ ...edit.draft, ...change })}
      />
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {note.by.name ?? note.by.email ?? ''}
        </Text>
        <Button variant="default" loading={calls.remove.isPending} onClick={remove}>
          {t('notes.remove')}
        </Button>
      </Group>
    </EditDialog>
  )
}

interface FieldsProps {
  draft: Pick<Note, 'day' | 'text'>
  errors: FieldErrors
  onChange: (change: Partial<Pick<Note, 'day' | 'text'>>) => void
}

function Fields({ draft, errors, onChange }: FieldsProps) {
  return (
    <Stack>
      <Textarea
        label={t('notes.text')}
        description={t('notes.textAbout')}
        withAsterisk
        autosize
        minRows={2}
        maxLength={MAX_TEXT}
        data-autofocus
        value={draft.text}
        error={errors.at('/text')}
        onChange={event => onChange({ text: event.currentTarget.value })}
      />
      <TextInput
        type="date"
        label={t('notes.day')}
        withAsterisk
        value={draft.day}
        error={errors.at('/day')}
        inputContainer={inWords(draft.day === '' ? null : fullDay(startOfDay(draft.day, 'UTC'), 'UTC'))}
        onChange={event => onChange({ day: event.currentTarget.value })}
      />
    </Stack>
  )
}
