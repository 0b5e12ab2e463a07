// Asks before a page with unsaved input is left: by a link, Back, a reload or closing the tab. Back and Forward close an
// open dialog instead.

import { useBlocker } from '@tanstack/react-router'
import { Suspense, useEffect, useRef, useState } from 'react'
import { lazyLater } from '../shell/later.ts'
import { t } from '../words/words.ts'
import { closeTopDialog } from './open-dialogs.ts'
import { askBy, hasUnsaved, unsavedAbout, watchUnsaved } from './unsaved.ts'

const Confirm = lazyLater(async () => (await import('./confirm.tsx')).Confirm)

interface Place {
  pathname: string
  search: object
}

/** Another period is still the same page; another part of it is not. */
function leaves(current: Place, next: Place): boolean {
  const tabOf = ({ search }: Place) => (search as { tab?: string }).tab
  return current.pathname !== next.pathname || tabOf(current) !== tabOf(next)
}

const BY_HISTORY: ReadonlySet<string> = new Set(['BACK', 'FORWARD', 'GO'])

export function LeaveGuard() {
  const [answer, setAnswer] = useState<((leave: boolean) => void) | null>(null)
  const isAskingNow = useRef(false)
  // It comes before the other, which would ask about the whole page. Neither closes the question whether to leave.
  useBlocker({
    shouldBlockFn: ({ action }) => !isAskingNow.current && BY_HISTORY.has(action) && closeTopDialog(),
    enableBeforeUnload: false,
  })
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => hasUnsaved() && leaves(current, next),
    enableBeforeUnload: hasUnsaved,
    withResolver: true,
  })
  useEffect(() => {
    askBy(() => new Promise(resolve => setAnswer(() => resolve)))
    return () => askBy(null)
  }, [])
  const settle = (leave: boolean) => {
    answer?.(leave)
    setAnswer(null)
    if (blocker.status === 'blocked') (leave ? blocker.proceed : blocker.reset)()
  }
  const isAsking = answer !== null || blocker.status === 'blocked'
  isAskingNow.current = isAsking
  // The pending save arrived: nothing would be lost any more, so the reader may leave.
  useEffect(() => {
    if (isAsking) return watchUnsaved(() => !hasUnsaved() && settle(true))
  })
  // Nothing of it is loaded before it is first asked; then it stays, so that it can close.
  const wasAsked = useRef(false)
  wasAsked.current ||= isAsking
  return (
    wasAsked.current && (
      <Suspense>
        <Confirm
          opened={isAsking}
          title={t('form.unsavedTitle')}
          about={unsavedAbout() ?? t('form.unsavedAbout')}
          action={t('form.leave')}
          cancel={t('form.stay')}
          busy={false}
          error={null}
          onConfirm={() => settle(true)}
          onClose={() => settle(false)}
        />
      </Suspense>
    )
  )
}
