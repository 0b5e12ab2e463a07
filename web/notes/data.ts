// Notes as the pages read and change them, and their places in a chart.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { NewNote, Note } from '../../src/manage/notes/contract.ts'
import { api } from '../api/client.ts'
import { usePeriod } from '../period/use-period.ts'
import { addDays, startOfDay } from '../period/zone.ts'

export type { NewNote, Note }

/** Whose chart it is: one campaign's, or (null) the customer's. */
export interface NotesOf {
  cuid: number
  cid: number | null
}

/** The notes of the page's period, by day; none for a chart without notes. */
export function useNotes(of: NotesOf | undefined): readonly Note[] {
  const { firstDay, lastDay } = usePeriod()
  const { cuid = 0, cid = null } = of ?? {}
  const question = { cuid, from: firstDay, to: addDays(lastDay, 1), ...(cid === null ? {} : { cid }) }
  const { data = NONE } = useQuery({
    queryKey: ['notes', cuid, question],
    queryFn: async () => (await api.listNotes(question)).sort(byDay),
    enabled: of !== undefined,
  })
  return data
}

const NONE: readonly Note[] = []

const byDay = (a: Note, b: Note) => a.day.localeCompare(b.day) || a.nid - b.nid

export function useNoteCalls(cuid: number) {
  const client = useQueryClient()
  const readAgain = () => {
    client.invalidateQueries({ queryKey: ['history', cuid] })
    return client.invalidateQueries({ queryKey: ['notes', cuid] })
  }
  return {
    readAgain,
    write: useMutation({
      mutationFn: ({ body, idempotencyKey }: { body: NewNote; idempotencyKey: string }) =>
        api.createNote({ cuid, body }, { idempotencyKey }),
      onSuccess: readAgain,
    }),
    remove: useMutation({
      mutationFn: (nid: number) => api.deleteNote({ cuid, nid }),
      onSuccess: readAgain,
    }),
  }
}

/** The notes of one bucket of a chart, and their number in it. */
export interface NoteMark {
  number: number
  /** The index of the bucket. */
  index: number
  notes: Note[]
}

/** Notes of the same bucket share a number. `dates`: the first second of each bucket, in order. */
export function marksOf(
  notes: readonly Note[],
  dates: readonly number[],
  endS: number,
  tz: string,
): NoteMark[] {
  const found = new Map<number, Note[]>()
  for (const note of notes) {
    const atS = startOfDay(note.day, tz)
    // A bucket of a week may have begun before the period, and so before its first note.
    const index = atS < endS ? dates.findLastIndex(date => date <= atS) : -1
    if (index >= 0) found.set(index, [...(found.get(index) ?? []), note])
  }
  return [...found].map(([index, list], place) => ({ number: place + 1, index, notes: list }))
}

/** The notes of a chart, and what a click on a note or a bucket does. */
export interface ChartNotes {
  marks: readonly NoteMark[]
  onAdd: (index: number) => void
  onOpen: (note: Note) => void
}
