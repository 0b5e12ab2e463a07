// What is open over the page, the last one on top: dialogs, menus, popovers and lists of fields. Back closes that one, as
// Escape does, and leaves the page where it is. Those beneath it are not touched.

import { useEffect, useRef, useState } from 'react'

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

/** Whether a menu or popover is open. After Back, the button that opened it has the focus again. */
export function useDropdown() {
  const [opened, setOpened] = useState(false)
  const opener = useRef<Element>(null)
  const onChange = (next: boolean) => {
    if (next) opener.current = document.activeElement
    setOpened(next)
  }
  useOpenDialog(opened, () => {
    setOpened(false)
    if (opener.current instanceof HTMLElement) opener.current.focus({ preventScroll: true })
  })
  return { opened, onChange }
}

/** Whether there is one. */
export function closeTopDialog(): boolean {
  if (closeList()) return true
  open.at(-1)?.current?.()
  return open.length > 0
}

/** The list of the focused field. Only the field itself can close it, when it gets Escape. */
function closeList(): boolean {
  const field = document.activeElement
  if (!field?.matches('[aria-haspopup="listbox"][data-expanded]')) return false
  const list = document.getElementById(field.getAttribute('aria-controls') ?? '')
  if (!list?.checkVisibility()) return false
  field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))
  return true
}
