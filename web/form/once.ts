// The second click of a double click does nothing: one key is made, one copy, and a deletion is not followed by another
// that fails.

import { useRef } from 'react'

const DOUBLE_CLICK_MS = 500

/**
 * `busy` alone comes a moment too late. A click that the browser counts as the first of its kind is meant, however soon
 * it comes: somebody has cancelled, and wants it after all.
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
