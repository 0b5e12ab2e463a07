// Where an issue is solved, and the text of the button that leads there.

import type { Issue } from '../../src/diagnose/issues/contract.ts'
import { t } from '../words/words.ts'

interface Remedy {
  to: string
  search?: { tab: string }
  word: string
}

export function pathOf({ cid, pid, bid }: Issue): string {
  if (pid && bid) return `/campaigns/${cid}/personas/${pid}/banners/${bid}`
  return pid ? `/campaigns/${cid}/personas/${pid}` : `/campaigns/${cid}`
}

export function remedyOf(issue: Issue): Remedy {
  const campaign = `/campaigns/${issue.cid}`
  const settings = { to: campaign, search: { tab: 'settings' } }
  switch (issue.code) {
    case 'no_persona':
      return { to: `${campaign}/new-persona`, word: t('remedy.addPersona') }
    case 'no_banner':
      return { to: pathOf(issue), word: t('remedy.addBanner') }
    case 'budget_spent':
    case 'total_spent':
      return { ...settings, word: t('remedy.budget') }
    case 'off_hours':
      return { ...settings, word: t('remedy.hours') }
    case 'place_unknown':
      return { to: pathOf(issue), search: { tab: 'targeting' }, word: t('remedy.places') }
    case 'banner_rejected':
    case 'banner_pending':
      return { to: pathOf(issue), word: t('remedy.banner') }
    case 'frozen':
      return { to: '/account', word: t('remedy.account') }
    case 'balance_spent':
      return { to: '/statement', word: t('remedy.statement') }
    default:
      return { to: pathOf(issue), word: t('remedy.look') }
  }
}
