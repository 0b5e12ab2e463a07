// The second click of a double click does nothing: one key is made, one copy, and a deletion is not followed by another
// that fails.

import { useRef } from 'react'

const DOUBLE_CLICK_MS = 500

/** `busy` alone comes a moment too late. */
export function useOnce(busy: boolean, work: () => void): () => void {
  const lastMs = useRef(0)
  return () => {
    if (busy || Date.now() - lastMs.current < DOUBLE_CLICK_MS) return
    lastMs.current = Date.now()
    work()
  }
}
