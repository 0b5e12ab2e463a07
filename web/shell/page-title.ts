// The title of the page, for tabs, bookmarks and those who do not see it; and the reader's place after a change of page.

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

/** Leads the keyboard and the screen reader to the heading of a page that was navigated to, but not on the first one. */
export function useHeadingFocus(heading: { current: HTMLElement | null }): void {
  // Not before the new page is there: the heading of the old one stays until then.
  const path = useRouterState({ select: state => state.resolvedLocation?.pathname ?? null })
  useEffect(() => {
    if (path === null) return
    if (shownPath !== null && shownPath !== path) heading.current?.focus({ preventScroll: true })
    shownPath = path
  }, [path, heading])
}
