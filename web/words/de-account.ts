// Deutsch: das Konto.

import type { enAccount } from './en-account.ts'

export const deAccount: Record<keyof typeof enAccount, string> = {
  'account.title': 'Konto',
  'account.details': 'Angaben',
  'account.emailAbout': 'Mit dieser Adresse melden Sie sich an. Ändern kann sie der Betreiber des Dienstes.',
  'account.preferences': 'Darstellung',
  'account.preferencesAbout': 'Wird in diesem Browser gespeichert.',
  'account.distance': 'Entfernungen',
  'account.language': 'Sprache',
  'account.languageAbout': 'Für die Konsole und E-Mails.',
  'account.zoneAbout': 'Nach ihren Tagen richten sich Budgets, Statistik und Berichte per E-Mail.',
  'account.zonePending': 'Ab {time}. Bis dahin: {zone}.',
  'account.theirPreferences': 'Sprache und Zeitzone',
  'error.timeZone': 'Wählen Sie eine Zeitzone aus der Liste.',
  'mails.title': 'E-Mails',
  'mails.about': 'Jede E-Mail enthält auch einen Link zum Abbestellen.',
  'mails.report': 'Bericht mit Ihren Zahlen',
  'mails.report.off': 'Nie',
  'mails.report.daily': 'Täglich',
  'mails.report.weekly': 'Wöchentlich',
  'mails.bannerRejected': 'Wenn ein Banner abgelehnt wird',
  'mails.budgetSpent': 'Wenn eine Kampagne ihr Tagesbudget aufgebraucht hat',
  'mails.balance': 'Wenn das Guthaben niedrig oder verbraucht ist',
  'mails.stopped': 'Wenn eine laufende Kampagne nicht mehr ausgeliefert wird',
  'freeze.title': 'Notbremse',
  'freeze.about':
    'Wenn etwas nicht stimmt: Einfrieren stoppt binnen Sekunden jede Auslieferung und sperrt alle Änderungen.',
  'freeze.freeze': 'Jetzt alles einfrieren',
  'freeze.isFrozen': 'Eingefroren: Nichts wird ausgeliefert, nichts lässt sich ändern.',
  'freeze.unfreeze': 'Aufheben',
  'freeze.askTitle': 'Einfrieren aufheben?',
  'freeze.askAbout':
    'Was eingeschaltet war, wird wieder ausgeliefert und kostet Geld, und Schlüssel können wieder etwas ändern.',
}
