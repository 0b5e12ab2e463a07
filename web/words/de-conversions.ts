// Deutsch: Conversions, und warum eine Aktion nicht gezählt wurde.

import type { enConversions } from './en-conversions.ts'

export const deConversions: { [W in keyof typeof enConversions]: string } = {
  'conversions.title': 'Conversions',
  'conversions.seen': 'Was ankam',
  'conversions.seenAbout': 'Wann jede Aktion zuletzt gezählt wurde. Ein Test zählt nirgends.',
  'conversions.test': 'Testereignis senden',
  'conversions.tested.pixel': 'Ein Test „{name}“ kam am {time} von einer Seite.',
  'conversions.tested.server': 'Ein Test „{name}“ kam am {time} von einem Server.',
  'conversions.works': 'Es klappt: Nach einem Klick auf eine Anzeige würde gezählt.',
  'conversions.wouldNot': 'Es würde nicht gezählt: {reason}.',
  'conversions.none': 'Noch keine Aktion wurde gezählt',
  'conversions.noneAbout':
    'Bauen Sie die Schnipsel in Ihre Seiten ein, oder melden Sie Aktionen von Ihrem Server.',
  'conversions.last': 'Zuletzt',
  'conversions.snippets': 'Für Ihre Seiten',
  'conversions.snippetsAbout': 'Eine Aktion wird dem Klick zugerechnet, der den Besucher gebracht hat.',
  'conversions.name': 'Aktion',
  'conversions.value': 'Wert (darf leer sein)',
  'conversions.everyPage': 'Auf jeder Seite: den Klick aufbewahren',
  'conversions.lastPage': 'Auf der Seite, die ein Besucher am Ende sieht',
  'conversions.tryPage':
    'Zum Ausprobieren klicken Sie auf eine Ihrer Anzeigen und öffnen dann diese Seite mit ?mqtest am Ende der Adresse. Der Test erscheint oben nach wenigen Sekunden.',
  'conversions.server': 'Oder von Ihrem Server, mit einem Ihrer Schlüssel',
  'conversions.copy': 'Kopieren: {name}',
  'reason.unknown_click': 'Unbekannte Klicks',
  'reason.too_old': 'Zu lange nach dem Klick',
  'reason.before_click': 'Vor dem Klick',
  'reason.uncounted_ad': 'Angeklickte Anzeige nicht gezählt',
  'reason.too_many_names': 'Zu viele Namen für einen Klick',
  'reason.name_quota': 'Neue Namen über der Grenze',
  'reason.too_many_actions': 'Zu viele Aktionen einer Adresse',
  'reason.no_credit': 'Ohne Klick oder Einblendung',
  'reason.ambiguous': 'Anzeigen mehrerer Kunden wurden gesehen',
  'reason.future_time': 'In der Zukunft',
  'reason.other_visitor': 'Andere als die, die die Anzeige angefordert hatten',
  'reason.too_many_seen': 'Zu viele für eine Adresse',
  'reason.visitor_share': 'Zu viel vom Tag einer Kampagne für eine Adresse',
  'reason.too_many_unseen': 'Nicht ausgeliefert: eine Adresse hatte zu viele ungesehene',
}
