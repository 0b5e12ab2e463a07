// Deutsch: die erste Seite: das Geld von heute, was zu tun ist, und der Weg zur Abhilfe.

import type { enOverview } from './en-overview.ts'

export const deOverview: { [W in keyof typeof enOverview]: string } = {
  'overview.morning': 'Guten Morgen, {name}',
  'overview.afternoon': 'Guten Tag, {name}',
  'overview.evening': 'Guten Abend, {name}',
  'overview.today': 'Heute ausgegeben',
  'overview.ofBudget': 'von {budget}',
  'overview.spentOf': '{spent} von {budget}',
  'overview.evenAt': 'Gleichmäßig um {time}: {money}',
  'overview.behind': '{money} hinter einem gleichmäßigen Tag',
  'overview.ahead': '{money} vor einem gleichmäßigen Tag',
  'overview.behindBy': '{money} hinter einem gleichmäßigen Tag, etwa {midnight} bis Mitternacht',
  'overview.aheadBy': '{money} vor einem gleichmäßigen Tag, etwa {midnight} bis Mitternacht',
  'overview.allSpent': 'Das Budget von heute ist aufgebraucht.',
  'overview.overBudget':
    'Mehr als das Budget dessen, was jetzt läuft: Ein Budget wurde gesenkt, oder eine Kampagne endete.',
  'overview.noneRunning': 'Zurzeit läuft keine Kampagne.',
  'overview.running': 'Laufende Kampagnen',
  'overview.ofCampaigns': 'von {count} Kampagne|von {count} Kampagnen',
  'overview.cameBack': 'Heute zurückgekommen',
  'overview.actions': 'Aktionen heute',
  'overview.actionsSoFar': '{count} Aktion bisher|{count} Aktionen bisher',
  'overview.clicksSoFar': 'aus {count} Klick|aus {count} Klicks',
  'overview.timesSpent': '{times} der Ausgaben',
  'overview.lasts': 'Reicht etwa {count} Tag|Reicht etwa {count} Tage',
  'overview.attention': 'Handlungsbedarf',
  'overview.allWell': 'Nichts braucht Sie.',
  'overview.deliver': '{count} Kampagne liefert aus.|{count} Kampagnen liefern aus.',
  'overview.seeAll': 'Zur Kampagne|Alle {count} ansehen',
  'overview.moreIssues': 'Alle {count} anzeigen',

  'remedy.addPersona': 'Persona anlegen',
  'remedy.addBanner': 'Banner hinzufügen',
  'remedy.budget': 'Budget erhöhen',
  'remedy.hours': 'Zeiten ändern',
  'remedy.places': 'Ort berichtigen',
  'remedy.banner': 'Zum Banner',
  'remedy.account': 'Zum Konto',
  'remedy.statement': 'Zum Kontoauszug',
  'remedy.look': 'Ansehen',
}
