// Deutsch: gespeicherte Ansichten der Statistik und ihre E-Mails.

import type { enViews } from './en-views.ts'

export const deViews: { [W in keyof typeof enViews]: string } = {
  'views.title': 'Gespeicherte Ansichten',
  'views.save': 'Ansicht speichern',
  'views.new': 'Ansicht speichern',
  'views.edit': 'Gespeicherte Ansicht „{name}“',
  'views.editNamed': 'Gespeicherte Ansicht „{name}“ bearbeiten',
  'views.name': 'Name',
  'views.aboutNew': 'Gespeichert werden Zeitraum, Kennzahl, Aufschlüsselung und deren Filter.',
  'views.takeShown': 'Das jetzt Gezeigte übernehmen',
  'views.takeShownAbout': 'Ersetzt Zeitraum, Kennzahl, Aufschlüsselung und Filter dieser Ansicht.',
  'views.every': 'Per E-Mail',
  'every.off': 'Nie',
  'every.daily': 'Jeden Tag',
  'every.weekly': 'Jeden Montag',
  'every.monthly': 'Am Ersten jedes Monats',
  'views.mailTo': 'An',
  'views.people': '{count} Person|{count} Personen',
  'views.mailToAbout':
    'Morgens, mit den letzten ganzen Tagen. Wer sich noch nie angemeldet hat, erhält nichts.',
  'views.you': '{name} (Sie)',
  'views.saved': 'Ansicht „{name}“ gespeichert',
  'views.removed': 'Ansicht „{name}“ entfernt',
  'views.remove': 'Entfernen',
  'views.isMailed': 'Per E-Mail: {every}',
  'views.noSuchMember': 'Eine dieser Personen arbeitet nicht mehr hier.',
  'views.tooMany':
    'Es gibt schon {max} gespeicherte Ansichten, mehr sind nicht möglich. Entfernen Sie zuerst einige.',
}
