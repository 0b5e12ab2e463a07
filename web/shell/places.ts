// The places that the navigation offers, depending on who is signed in.

import type { May } from '../session/may.ts'
import type { Session } from '../session/session.ts'
import { t } from '../words/words.ts'
import type { IconName } from './icon.tsx'

export interface Place {
  to: string
  icon: IconName
  word: string
}

export function placesOf(session: Session, may: May): Place[] {
  const own: Place[] = [
    { to: '/', icon: 'overview', word: t('shell.overview') },
    { to: '/campaigns', icon: 'campaigns', word: t('shell.campaigns') },
    { to: '/statistics', icon: 'statistics', word: t('shell.statistics') },
    { to: '/conversions', icon: 'conversions', word: t('conversions.title') },
    { to: '/proposals', icon: 'edit', word: t('proposals.title') },
    { to: '/account', icon: 'account', word: t('account.title') },
  ]
  const staff: Place[] = [{ to: '/customers', icon: 'customers', word: t('shell.customers') }]
  const app: Place[] = [
    { to: '/review', icon: 'eye', word: t('review.title') },
    { to: '/sources', icon: 'globe', word: t('sources.title') },
    { to: '/site-lists', icon: 'filter', word: t('lists.title') },
    { to: '/attributes', icon: 'columns', word: t('personas.attributes') },
    { to: '/webhooks', icon: 'bell', word: t('shell.webhooks') },
    ...(may.rights ? [{ to: '/staff', icon: 'user', word: t('staff.title') } as const] : []),
    ...(may.edit ? [{ to: '/brand', icon: 'image', word: t('brand.title') } as const] : []),
  ]
  return [
    ...(session.customer ? own : []),
    ...(session.staff ? staff : []),
    ...(session.level === 'app' ? app : []),
  ]
}

const AT_THE_BOTTOM = ['/', '/campaigns', '/statistics', '/account']
const MOST_AT_THE_BOTTOM = 4

/** The four places at the bottom of a phone. The others are in its menu. */
export function bottomOf(places: readonly Place[], session: Session): Place[] {
  return session.customer
    ? places.filter(({ to }) => AT_THE_BOTTOM.includes(to))
    : places.slice(0, MOST_AT_THE_BOTTOM)
}
