// The API's own errors at the fields they are about: a JSON pointer such as `/geo/radius` finds its field.

import { useState } from 'react'
import { MarqueeError } from '../api/client.ts'
import { useZone } from '../period/use-period.ts'
import { fieldSentence, problemSentence } from '../words/error-words.ts'

export interface FieldErrors {
  /** The message for a field, by its path; errors deeper inside belong to it too. */
  at: (path: string) => string | undefined
  /** What was refused, in one sentence; null if nothing was. */
  message: string | null
  /** Takes whatever a call has thrown, and moves the focus to the first wrong field. */
  take: (error: unknown) => void
  clear: () => void
  /** Moves the focus to the first wrong field. */
  lead: () => void
}

export function useFieldErrors(): FieldErrors {
  const [error, setError] = useState<unknown>(null)
  const errors = error instanceof MarqueeError ? error.errors : []
  const timezone = useZone()
  return {
    at: path => {
      const found = errors.filter(entry => entry.path === path || entry.path.startsWith(`${path}/`))
      const sentences = found.map(entry => fieldSentence(entry, timezone))
      return sentences.length > 0 ? [...new Set(sentences)].join(' ') : undefined
    },
    message: error === null ? null : problemSentence(error, timezone),
    take: thrown => {
      setError(thrown)
      focusFirstInvalid()
    },
    clear: () => setError(null),
    lead: focusFirstInvalid,
  }
}

/** The same errors for a form that is part of a larger one: `/personas/0/name` is `/name` there. */
export function errorsBelow(errors: FieldErrors, prefix: string): FieldErrors {
  return { ...errors, at: path => errors.at(prefix + path), message: null }
}

/** After the messages are drawn. */
function focusFirstInvalid(): void {
  window.setTimeout(() => {
    const target = document.querySelector<HTMLElement>('[aria-invalid="true"], [data-invalid="true"]')
    target?.focus({ preventScroll: true })
    target?.scrollIntoView({ block: 'center' })
  }, 50)
}
