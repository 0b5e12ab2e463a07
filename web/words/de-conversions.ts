// Deutsch: Conversions, und warum eine Aktion nicht gezählt wurde.

import type { enConversions } from './en-conversions.ts'

export const deConversions: { [W in keyof typeof enConversions]: string } = {
  'conversions.title': 'Conversions',
  'conversions.seen': 'Empfangene Aktionen',
  'conversions.seenAbout': 'Wann jede Aktion zuletzt gezählt wurde. Tests werden nicht gezählt.',
  'conversions.test': 'Testereignis senden',
  'conversions.tested.pixel': 'Test „{name}“ am {time} von einer Seite empfangen.',
  'conversions.tested.server': 'Test „{name}“ am {time} von einem Server empfangen.',
  'conversions.works': 'Es funktioniert: Nach einem Klick auf eine Anzeige würde die Aktion gezählt.',
  'conversions.wouldNot': 'Die Aktion würde nicht gezählt: {reason}.',
  'conversions.none': 'Noch keine Aktionen gezählt',
  'conversions.noneAbout':
    'Bauen Sie die Code-Schnipsel in Ihre Seiten ein oder melden Sie Aktionen von Ihrem Server.',
  'conversions.last': 'Zuletzt gezählt',
  'conversions.snippets': 'Für Ihre Seiten',
  'conversions.snippetsAbout': 'Eine Aktion wird dem Klick zugerechnet, der den Besucher gebracht hat.',
  'conversions.name': 'Aktion',
  'conversions.value': 'Wert (optional)',
  'conversions.everyPage': 'Auf jeder Seite: den Klick merken',
  'conversions.lastPage': 'Auf der Seite, die Besucher nach der Aktion sehen',
  'conversions.tryPage':
    'Zum Ausprobieren klicken Sie auf eine Ihrer Anzeigen und öffnen dann diese Seite mit ?mqtest am Ende der Adresse. Der Test erscheint oben nach wenigen Sekunden.',
  'conversions.server': 'Oder von Ihrem Server, mit einem Ihrer Schlüssel',
  'conversions.copy': 'Kopieren: {name}',
  'reason.unknown_click': 'Unbekannte Klicks',
  'reason.too_old': 'Zu lange nach dem Klick',
  'reason.before_click': 'Vor dem Klick',
  'reason.uncounted_ad': 'Angeklickte Anzeige nicht gezählt',
  'reason.too_many_names': 'Zu viele Namen für einen Klick',
  'reason.name_quota': 'Zu viele neue Namen',
  'reason.too_many_actions': 'Zu viele Aktionen von einer IP-Adresse',
  'reason.no_credit': 'Kein Klick und keine Impression zum Zuordnen',
  'reason.ambiguous': 'Hat Anzeigen mehrerer Kunden gesehen',
  'reason.future_time': 'In der Zukunft',
  'reason.other_visitor': 'Nicht der Besucher, der die Anzeige angefordert hat',
  'reason.unbilled_budget': 'Kein Budget mehr für den Klick',
  'reason.no_impression': 'Klick ohne gezählte Impression',
  'reason.too_many_seen': 'Zu viele von einer IP-Adresse',
  'reason.visitor_share': 'IP-Adresse über ihrem Anteil am Tagesbudget',
  'reason.too_many_unseen': 'Nicht ausgeliefert: zu viele ungesehene Anzeigen einer IP-Adresse',
}
