// Writes a note on a day, or changes or removes one.

import { Button, Group, SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { keyOf } from '../api/client.ts'
import { CreateForm, useDirty } from '../form/create-form.tsx'
import { Dialog } from '../form/dialog.tsx'
import { useFieldErrors } from '../form/field-errors.ts'
import { useNotice } from '../shell/notice.tsx'
import { t } from '../words/words.ts'
import { type Note, type NotesOf, useNoteCalls } from './data.ts'

const MAX_TEXT = 200

/** What the dialog is open for: a new note on a day, or a note that is there. */
export type OpenNote = { day: string } | { note: Note }

interface NoteDialogProps {
  of: NotesOf
  open: OpenNote
  onClose: () => void
}

export function NoteDialog({ of, open, onClose }: NoteDialogProps) {
  const isNew = 'day' in open
  return (
    <Dialog opened onClose={onClose} title={t(isNew ? 'notes.add' : 'notes.edit')}>
      <Form of={of} open={open} onClose={onClose} />
    </Dialog>
  )
}

function Form({ of: { cuid, cid }, open, onClose }: NoteDialogProps) {
  const known = 'note' in open ? open.note : null
  const [draft, setDraft] = useState(() => ({
    day: 'day' in open ? open.day : open.note.day,
    text: known?.text ?? '',
    isOfAll: cid === null,
  }))
  const errors = useFieldErrors(draft)
  const notice = useNotice()
  const calls = useNoteCalls(cuid)
  const save = async (formKey: string) => {
    const { day, text } = draft
    if (known) await calls.change.mutateAsync({ nid: known.nid, body: { day, text } })
    else {
      const body = { day, text, cid: draft.isOfAll ? null : cid }
      await calls.write.mutateAsync({ body, idempotencyKey: keyOf(formKey, body) })
    }
    notice.done(t(known ? 'form.saved' : 'notes.added'))
    onClose()
  }
  const remove = () =>
    calls.remove
      .mutateAsync(known!.nid)
      .then(() => {
        notice.done(t('notes.removed'))
        onClose()
      })
      .catch(errors.take)
  return (
    <CreateForm
      action={t(known ? 'form.save' : 'notes.add')}
      errors={errors}
      dirty={useDirty(draft)}
      create={save}
      onCancel={onClose}
    >
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
          onChange={event => setDraft({ ...draft, text: event.currentTarget.value })}
        />
        <TextInput
          type="date"
          label={t('notes.day')}
          withAsterisk
          value={draft.day}
          error={errors.at('/day')}
          onChange={event => setDraft({ ...draft, day: event.currentTarget.value })}
        />
        {!known && cid !== null && (
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
        {known && (
          <Group justify="space-between">
            <Text size="sm" c="dimmed">
              {known.by.name ?? known.by.email ?? ''}
            </Text>
            <Button variant="default" loading={calls.remove.isPending} onClick={remove}>
              {t('notes.remove')}
            </Button>
          </Group>
        )}
      </Stack>
    </CreateForm>
  )
}
