// Deutsch: das Konto.

import type { enAccount } from './en-account.ts'

export const deAccount: Record<keyof typeof enAccount, string> = {
  'account.title': 'Konto',
  'account.details': 'Angaben',
  'account.emailAbout': 'Damit melden Sie sich an. Ändern kann sie der Betreiber des Dienstes.',
  'account.preferences': 'Wie Sie alles sehen',
  'account.preferencesAbout': 'Wird in diesem Browser aufbewahrt.',
  'account.distance': 'Entfernungen',
  'account.language': 'Sprache',
  'account.languageAbout': 'Der Oberfläche und der E-Mails.',
  'account.zoneAbout': 'In ihr stehen die Zeiträume der Zahlen und die Berichte per E-Mail.',
  'account.theirPreferences': 'Sprache und Zeitzone',
  'error.timeZone': 'Wählen Sie eine der Zeitzonen.',
  'mails.title': 'E-Mails',
  'mails.about': 'Jede E-Mail lässt sich auch durch einen Link in ihr abschalten.',
  'mails.report': 'Bericht über Ihre Zahlen',
  'mails.report.off': 'Keiner',
  'mails.report.daily': 'Jeden Tag',
  'mails.report.weekly': 'Jede Woche',
  'mails.bannerRejected': 'Wenn ein Banner abgelehnt wird',
  'mails.budgetSpent': 'Wenn eine Kampagne ihr Tagesbudget ausgegeben hat',
  'mails.stopped': 'Wenn eine laufende Kampagne nicht mehr ausliefert',
}
