// Asks before a page with unsaved input is left: by a link, Back, a reload or closing the tab.

import { useBlocker } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { t } from '../words/words.ts'
import { Confirm } from './confirm.tsx'
import { askBy, hasUnsaved, unsavedAbout, watchUnsaved } from './unsaved.ts'

interface Place {
  pathname: string
  search: object
}

/** Another period is still the same page; another part of it is not. */
function leaves(current: Place, next: Place): boolean {
  const tabOf = ({ search }: Place) => (search as { tab?: string }).tab
  return current.pathname !== next.pathname || tabOf(current) !== tabOf(next)
}

export function LeaveGuard() {
  const [answer, setAnswer] = useState<((leave: boolean) => void) | null>(null)
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
  // What was on its way has arrived: nothing is lost any more, and whoever wanted to leave goes on.
  useEffect(() => {
    if (isAsking) return watchUnsaved(() => !hasUnsaved() && settle(true))
  })
  return (
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
  )
}
