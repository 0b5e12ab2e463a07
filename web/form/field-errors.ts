// The API's own errors at the fields they are about: a JSON pointer such as `/geo/radius` finds its field.

import { useState } from 'react'
import { MarqueeError } from '../api/client.ts'
import { dateTime, timeRange } from '../format/format.ts'
import { useSession } from '../session/session.ts'

export interface FieldErrors {
  /** The message for a field, by its path; errors deeper inside belong to it too. */
  at: (path: string) => string | undefined
  /** What was refused, in one sentence; null: nothing was. */
  message: string | null
  /** Takes in whatever a call has thrown, and leads the reader to the first wrong field. */
  take: (error: unknown) => void
  clear: () => void
}

export function useFieldErrors(): FieldErrors {
  const [error, setError] = useState<Error | null>(null)
  const errors = error instanceof MarqueeError ? error.errors : []
  const { timezone } = useSession()
  return {
    at: path => {
      const found = errors.filter(entry => entry.path === path || entry.path.startsWith(`${path}/`))
      return found.length > 0
        ? found.map(entry => sentence(readable(entry.message, timezone))).join(' ')
        : undefined
    },
    message: error ? readable(error.message, timezone) : null,
    take: thrown => {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)))
      focusFirstInvalid()
    },
    clear: () => setError(null),
  }
}

/** The API names moments by their Unix second; a reader knows them by the clock. */
function readable(message: string, timeZone: string): string {
  return message
    .replace(/\b(\d{9,11}) to (\d{9,11})\b/g, (_, from, to) => timeRange(Number(from), Number(to), timeZone))
    .replace(/\bwhich is (\d{9,11})\b/g, (_, at) => `which is ${dateTime(Number(at), timeZone)}`)
}

function sentence(message: string): string {
  const text = message.charAt(0).toUpperCase() + message.slice(1)
  return /[.!?]$/.test(text) ? text : `${text}.`
}

/** After the messages are drawn. */
function focusFirstInvalid(): void {
  window.setTimeout(() => {
    const target = document.querySelector<HTMLElement>('[aria-invalid="true"], [data-invalid="true"]')
    target?.focus({ preventScroll: true })
    target?.scrollIntoView({ block: 'center' })
  }, 50)
}
