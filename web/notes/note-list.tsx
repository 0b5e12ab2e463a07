// The notes of a chart in words, each with its number. Readers who may edit can open a note or add another.

import './notes.css'
import { Button, UnstyledButton } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useMay } from '../session/may.ts'
import { Icon } from '../shell/icon.tsx'
import { t } from '../words/words.ts'
import type { Note, NoteMark } from './data.ts'

/** More would fill the page above the chart. */
const SHOWN = 6

interface NoteListProps {
  marks: readonly NoteMark[]
  onOpen: (note: Note) => void
}

export function NoteList({ marks, onOpen }: NoteListProps) {
  const [isWhole, setWhole] = useState(false)
  if (marks.length === 0) return null
  const shown = isWhole ? marks : marks.slice(0, SHOWN)
  const left = marks.length - shown.length
  return (
    <ul className="notes" aria-label={t('notes.title')}>
      {shown.map(({ number, notes }) => (
        <li key={number}>
          <span className="note-number">
            <span className="visually-hidden">{t('notes.number', { number })}</span>
            <span aria-hidden="true">{number}</span>
          </span>
          {notes.map(note => (
            <NoteWords key={note.nid} note={note} onOpen={onOpen} />
          ))}
        </li>
      ))}
      {left > 0 && (
        <li>
          <UnstyledButton className="note-words" onClick={() => setWhole(true)}>
            {t('notes.more', { count: left })}
          </UnstyledButton>
        </li>
      )}
    </ul>
  )
}

/** A button for readers who may edit the note, plain words for the others. */
export function NoteWords({ note, onOpen }: { note: Note; onOpen: (note: Note) => void }): ReactNode {
  const may = useMay()
  const { text } = note
  if (!may.edit) return <span className="note-words">{text}</span>
  return (
    <UnstyledButton
      className="note-words"
      title={text}
      aria-label={t('notes.editNamed', { text })}
      onClick={() => onOpen(note)}
    >
      {text}
    </UnstyledButton>
  )
}

export function AddNote({ onAdd }: { onAdd: () => void }) {
  const may = useMay()
  if (!may.edit) return null
  return (
    <Button variant="subtle" size="compact-sm" leftSection={<Icon name="note" size={14} />} onClick={onAdd}>
      {t('notes.add')}
    </Button>
  )
}
