// Edits something that others may edit too. Only changed fields are sent, and only over the version that was read; if
// someone else saved first, both values are shown and the person chooses. Nothing typed is silently replaced.

import { useEffect, useState } from 'react'
import { MarqueeError, type Tagged } from '../api/client.ts'

type Fields = Record<string, unknown>

export interface Conflict {
  /**
   * Fields that were changed here, with their current values; `yours` is undefined if only the other side changed one.
   */
  rows: { field: string; theirs: unknown; yours: unknown; both: boolean }[]
  /** Saves the named fields over the current version. */
  keepYours: (fields: readonly string[]) => Promise<boolean>
  /** Takes the current version and discards what was typed. */
  takeTheirs: () => void
  cancel: () => void
}

export interface Editing<D> {
  draft: D
  setDraft: (draft: D | ((before: D) => D)) => void
  /** The body that would be sent. */
  body: object
  dirty: boolean
  /** False: nothing was changed. */
  save: () => Promise<boolean>
  conflict: Conflict | null
  /** Discards what was typed. */
  reset: () => void
}

interface EditOptions<T, D> {
  current: Tagged<T>
  draftOf: (thing: T) => D
  /** The body that the API expects. */
  bodyOf: (draft: D) => object
  read: () => Promise<Tagged<T>>
  write: (changes: object, ifMatch: string | undefined) => Promise<Tagged<T>>
  keep: (saved: Tagged<T>) => void
}

export function useEdit<T, D>(options: EditOptions<T, D>): Editing<D> {
  const { current, draftOf, bodyOf, read, write, keep } = options
  const [base, setBase] = useState(current)
  const [draft, setDraft] = useState(() => draftOf(current))
  const [theirs, setTheirs] = useState<Tagged<T> | null>(null)
  const before = bodyOf(draftOf(base)) as Fields
  const mine = bodyOf(draft) as Fields
  const changed = differing(mine, before)
  const dirty = changed.length > 0

  const begin = (from: Tagged<T>) => {
    setBase(from)
    setDraft(draftOf(from))
    setTheirs(null)
  }
  /** Input typed while the request was under way stays. */
  const settle = (saved: Tagged<T>, sent: D) => {
    setBase(saved)
    setDraft(latest => (latest === sent ? draftOf(saved) : latest))
    setTheirs(null)
  }
  // Changes by others are shown at once unless they would replace typed input.
  useEffect(() => {
    if (!dirty && current.etag !== base.etag) {
      setBase(current)
      setDraft(draftOf(current))
    }
  }, [current, base.etag, dirty, draftOf])

  const send = async (fields: readonly string[], over: Tagged<T>) => {
    const saved = await write(pick(mine, fields), over.etag ?? undefined)
    keep(saved)
    settle(saved, draft)
  }
  /** Saves over the current version, unless somebody else changed a field of this form. */
  const sendOver = async (now: Tagged<T>) => {
    const rows = rowsOf(before, mine, bodyOf(draftOf(now)) as Fields)
    // The other change, such as a review, touched no field of this form.
    if (rows.length === 0) await send(changed, now)
    else setTheirs(now)
    return rows.length === 0
  }
  const save = async () => {
    if (!dirty) return false
    // Objects of a list have no versions.
    if (base.etag === null) return sendOver(await read())
    try {
      await send(changed, base)
    } catch (error) {
      if (!(error instanceof MarqueeError && error.status === 412)) throw error
      return sendOver(await read())
    }
    return true
  }
  const conflict: Conflict | null = theirs && {
    rows: rowsOf(before, mine, bodyOf(draftOf(theirs)) as Fields),
    keepYours: async fields => {
      if (fields.length > 0) {
        await send(fields, theirs)
        return true
      }
      keep(theirs)
      begin(theirs)
      return true
    },
    takeTheirs: () => {
      keep(theirs)
      begin(theirs)
    },
    cancel: () => setTheirs(null),
  }
  return { draft, setDraft, body: mine, dirty, save, conflict, reset: () => begin(base) }
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

function differing(one: Fields, other: Fields): string[] {
  return Object.keys(one).filter(field => !same(one[field], other[field]))
}

function pick(body: Fields, fields: readonly string[]): Fields {
  return Object.fromEntries(fields.map(field => [field, body[field]]))
}

function rowsOf(before: Fields, mine: Fields, theirs: Fields): Conflict['rows'] {
  const ours = differing(mine, before)
  const others = differing(theirs, before)
  if (others.length === 0) return []
  const fields = [...new Set([...ours, ...others])].filter(field => !same(mine[field], theirs[field]))
  return fields.map(field => ({
    field,
    theirs: theirs[field],
    yours: ours.includes(field) ? mine[field] : undefined,
    both: ours.includes(field) && others.includes(field),
  }))
}
