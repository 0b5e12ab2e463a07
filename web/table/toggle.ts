// Selecting rows: one, or with Shift all rows from the one selected before to this one, in the order shown.

import { useCallback, useRef } from 'react'
import type { Toggle } from './row.tsx'

export interface Selection {
  ids: ReadonlySet<number>
  onChange: (ids: ReadonlySet<number>) => void
}

/** Stays the same function while rows and selection change, so that rows are not redrawn. */
export function useToggle(selection: Selection | undefined, shownIds: readonly number[]): Toggle {
  const latest = useRef({ selection, shownIds })
  latest.current = { selection, shownIds }
  const before = useRef<number | null>(null)
  return useCallback((id, isRange) => {
    const { selection: now, shownIds: shown } = latest.current
    if (!now) return
    const next = new Set(now.ids)
    const isOn = !next.has(id)
    const range = isRange && before.current !== null ? between(shown, before.current, id) : [id]
    for (const one of range) {
      if (isOn) next.add(one)
      else next.delete(one)
    }
    before.current = id
    now.onChange(next)
  }, [])
}

/** Includes both; only the last one if the other is no longer shown. */
export function between(shown: readonly number[], one: number, other: number): readonly number[] {
  const [a, b] = [shown.indexOf(one), shown.indexOf(other)]
  return a < 0 || b < 0 ? [other] : shown.slice(Math.min(a, b), Math.max(a, b) + 1)
}
