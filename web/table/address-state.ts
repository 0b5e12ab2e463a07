// A reader's choices on a page, kept in its address: Back, a reload and a link show the same page again.

import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'

/** Undefined removes it from the address. */
export function useAddressState(name: string): [string | undefined, (next: string | undefined) => void] {
  const search = useSearch({ strict: false }) as Record<string, unknown>
  const navigate = useNavigate()
  const set = useCallback(
    (next: string | undefined) =>
      void navigate({
        to: '.',
        search: (before: Record<string, unknown>) => ({ ...before, [name]: next }) as never,
        replace: true,
        resetScroll: false,
      }),
    [navigate, name],
  )
  const value = search[name]
  return [value === undefined ? undefined : String(value), set]
}

/** One of several choices. The usual choice is left out of the address, and unknown ones are ignored. */
export function useAddressChoice<T extends string>(
  name: string,
  choices: readonly T[],
  usual: T,
): [T, (next: T) => void] {
  const [value, set] = useAddressState(name)
  const chosen = choices.find(choice => choice === value) ?? usual
  const choose = useCallback((next: T) => set(next === usual ? undefined : next), [set, usual])
  return [chosen, choose]
}

const TYPING_MS = 200

/** A text being typed: shown at once, and written to the address when typing pauses. */
export function useAddressText(name: string): [string, (next: string) => void] {
  const [value = '', set] = useAddressState(name)
  const [typed, setTyped] = useState(value)
  const written = useRef(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const { history } = useRouter()
  useEffect(() => {
    // After Back, or another link to the same page.
    if (value !== written.current) setTyped(value)
    written.current = value
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  const type = (next: string) => {
    setTyped(next)
    clearTimeout(timer.current)
    const page = history.location.pathname
    timer.current = setTimeout(() => {
      // A link was followed, and its page is still loading: the text is not part of that page's address.
      if (history.location.pathname !== page) return
      written.current = next
      set(next === '' ? undefined : next)
    }, TYPING_MS)
  }
  return [typed, type]
}
