// The API's own errors at their fields: a JSON pointer such as `/geo/radius` finds its field. An error disappears once
// its field has been changed.

import { useRef, useState } from 'react'
import { MarqueeError } from '../api/client.ts'
import { useZone } from '../period/use-period.ts'
import { fieldSentence, problemSentence } from '../words/error-words.ts'

export interface FieldErrors {
  /** The message for a field, by its path; errors deeper inside belong to it too. */
  at: (path: string) => string | undefined
  /** What was refused, in one sentence; null if nothing was. */
  message: string | null
  /** Takes anything that a call threw, and moves the focus to the first wrong field. */
  take: (error: unknown) => void
  clear: () => void
  /** Moves the focus to the first wrong field. */
  lead: () => void
}

/** `body`: what would be sent now; the pointers of errors find their values in it. */
export function useFieldErrors(body: unknown): FieldErrors {
  const [{ error, sent }, setRefused] = useState<Refused>(NOT_REFUSED)
  const latest = useRef(body)
  latest.current = body
  const refused = error instanceof MarqueeError ? error.errors : []
  const errors = refused.filter(entry =>
    pointersOf(entry).every(pointer => isSame(valueAt(body, pointer), valueAt(sent, pointer))),
  )
  const isCorrected = refused.length > 0 && errors.length === 0
  const timezone = useZone()
  return {
    at: path => {
      const found = errors.filter(entry => entry.path === path || entry.path.startsWith(`${path}/`))
      const sentences = found.map(entry => fieldSentence(entry, timezone))
      return sentences.length > 0 ? [...new Set(sentences)].join(' ') : undefined
    },
    message: error === null || isCorrected ? null : problemSentence(error, timezone),
    take: thrown => {
      setRefused({ error: thrown, sent: latest.current })
      focusFirstInvalid()
    },
    clear: () => setRefused(NOT_REFUSED),
    lead: focusFirstInvalid,
  }
}

interface Refused {
  /** Null: nothing was refused. */
  error: unknown
  /** The body that was refused. */
  sent: unknown
}
const NOT_REFUSED: Refused = { error: null, sent: null }

/** Pointers to the field and to the neighbours that its error names, such as the start for an end that is too early. */
function pointersOf({ path, params }: MarqueeError['errors'][number]): string[] {
  const above = path.slice(0, path.lastIndexOf('/'))
  return [path, ...Object.keys(params ?? {}).map(name => `${above}/${name}`)]
}

function valueAt(body: unknown, pointer: string): unknown {
  const steps = pointer.split('/').slice(1)
  return steps.reduce<unknown>((inside, step) => (inside as Record<string, unknown> | null)?.[step], body)
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/** The same errors for a form that is part of a larger one: `/personas/0/name` is `/name` there. */
export function errorsBelow(errors: FieldErrors, prefix: string): FieldErrors {
  return { ...errors, at: path => errors.at(prefix + path), message: null }
}

/** Runs after the messages are drawn. */
function focusFirstInvalid(): void {
  window.setTimeout(() => {
    const target = document.querySelector<HTMLElement>('[aria-invalid="true"], [data-invalid="true"]')
    target?.focus({ preventScroll: true })
    target?.scrollIntoView({ block: 'center' })
  }, 50)
}
