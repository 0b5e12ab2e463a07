// The title of the page, for tabs, bookmarks and screen readers; and the focus after a change of page.

import { useRouterState } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useSession } from '../session/session.ts'

export function usePageTitle(title: string): void {
  const { brand } = useSession()
  useEffect(() => {
    document.title = title === '' ? brand.title : `${title} – ${brand.title}`
  }, [title, brand.title])
}

let shownPath: string | null = null

/** Moves the focus to the heading after a navigation, but not on the first page. */
export function useHeadingFocus(heading: { current: HTMLElement | null }): void {
  // Not before the new page has loaded: until then the old heading is still there.
  const path = useRouterState({ select: state => state.resolvedLocation?.pathname ?? null })
  useEffect(() => {
    if (path === null) return
    if (shownPath !== null && shownPath !== path) heading.current?.focus({ preventScroll: true })
    shownPath = path
  }, [path, heading])
}
