// Keyboard shortcuts: one letter, or g and a letter. They ignore typed input and every key pressed with Ctrl, Alt or ⌘,
// and everybody can switch them off.

import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { mayLeave } from '../form/unsaved.ts'
import type { May } from '../session/may.ts'
import type { Session } from '../session/session.ts'
import { t } from '../words/words.ts'

export interface Shortcut {
  keys: string[]
  word: string
  /** The page it opens; null: it focuses the search of this page. */
  to: string | null
}

/** How long g waits for its letter, in milliseconds. */
const WAIT_MS = 1_500
const OFF = 'shortcuts-off'

export const areOn = () => localStorage.getItem(OFF) === null
export function switchShortcuts(on: boolean): void {
  if (on) localStorage.removeItem(OFF)
  else localStorage.setItem(OFF, '1')
}

export function shortcutsOf(session: Session, may: May): Shortcut[] {
  const go = (key: string, word: string, to: string) => ({ keys: ['g', key], word, to })
  return [
    ...(session.customer
      ? [
          go('o', t('shell.overview'), '/'),
          go('c', t('shell.campaigns'), '/campaigns'),
          go('s', t('shell.statistics'), '/statistics'),
          go('v', t('conversions.title'), '/conversions'),
          go('p', t('proposals.title'), '/proposals'),
          go('a', t('account.title'), '/account'),
        ]
      : []),
    ...(session.staff ? [go('k', t('shell.customers'), '/customers')] : []),
    ...(session.customer && may.edit ? [{ keys: ['n'], word: t('campaigns.new'), to: '/create' }] : []),
    { keys: ['/'], word: t('shortcuts.search'), to: null },
    { keys: ['?'], word: t('shortcuts.title'), to: '/shortcuts' },
  ]
}

export function useShortcuts(session: Session, may: May): void {
  const navigate = useNavigate()
  useEffect(() => {
    let waitsUntil = 0
    const press = async (event: KeyboardEvent) => {
      if (!areOn() || isTaken(event)) return
      const first = event.timeStamp < waitsUntil ? ['g'] : []
      waitsUntil = 0
      const pressed = [...first, event.key].join(' ')
      const found = shortcutsOf(session, may).find(({ keys }) => keys.join(' ') === pressed)
      if (!found) {
        if (event.key === 'g') waitsUntil = event.timeStamp + WAIT_MS
        return
      }
      event.preventDefault()
      if (found.to === null) document.querySelector<HTMLInputElement>('main input[type=search]')?.focus()
      else if (await mayLeave()) navigate({ to: found.to })
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [session, may, navigate])
}

/** Whether a field, a menu, a dialog or another key combination already uses the key. */
function isTaken({ target, ctrlKey, altKey, metaKey, defaultPrevented, repeat }: KeyboardEvent): boolean {
  if (ctrlKey || altKey || metaKey || defaultPrevented || repeat) return true
  const element = target as HTMLElement
  return (
    element.isContentEditable ||
    element.closest('input, textarea, select, [role=menu], [role=listbox], [role=grid], [role=dialog]') !==
      null ||
    document.querySelector('[role=dialog]') !== null
  )
}
