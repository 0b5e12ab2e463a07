// The dialogs that are open, the last one on top: Back closes that one, as Escape does, and leaves the page where it is.
// Those beneath it are not touched.

import { useEffect, useRef } from 'react'

/** What closes one; null: only its own buttons do. */
type Close = { current: (() => void) | null }

const open: Close[] = []

/** The answer: whether it is the one on top. */
export function useOpenDialog(opened: boolean, close: (() => void) | null): () => boolean {
  const latest = useRef(close)
  latest.current = close
  useEffect(() => {
    if (!opened) return
    open.push(latest)
    return () => void open.splice(open.indexOf(latest), 1)
  }, [opened])
  return () => open.at(-1) === latest
}

/** Whether there is one. */
export function closeTopDialog(): boolean {
  open.at(-1)?.current?.()
  return open.length > 0
}
