// Ignores the second click of a double click, so that only one key or copy is made and a deletion is not followed by
// another that fails.

import { useRef } from 'react'

const DOUBLE_CLICK_MS = 500

/**
 * `busy` alone is set a moment too late. A click that the browser counts as a first click is always accepted, however
 * soon it comes: somebody may cancel and then change their mind.
 */
export function useOnce(busy: boolean, work: () => void): (event?: { detail: number }) => void {
  const lastMs = useRef(0)
  return event => {
    const isFirst = event?.detail === 1
    if (busy || (!isFirst && Date.now() - lastMs.current < DOUBLE_CLICK_MS)) return
    lastMs.current = Date.now()
    work()
  }
}
