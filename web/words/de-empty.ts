// Deutsch: Seiten, auf denen noch nichts ist.

import type { enEmpty } from './en-empty.ts'

export const deEmpty: { [W in keyof typeof enEmpty]: string } = {
  'empty.example': 'Ein Beispiel, nicht Ihre Zahlen',
  'empty.hidden': 'Darunter steht ein Beispiel dieser Seite mit erfundenen Zahlen.',
  'empty.welcome': 'Willkommen, {name}',
  'empty.about':
    'Ihre erste Kampagne dauert etwa fünf Minuten. Bevor Sie auf „Kampagne anlegen“ drücken, wird nichts ausgegeben, und nie mehr als Ihr Budget.',
  'empty.viewer': 'Noch gibt es keine Kampagne. Sobald es eine gibt, stehen hier ihre Zahlen.',
  'empty.steps': 'Erste Schritte',
  'empty.done': 'Erledigt:',
  'empty.credited': 'Guthaben ist da',
  'empty.creditedAbout': '{balance} stehen bereit.',
  'empty.uncredited': 'Guthaben aufladen lassen',
  'empty.uncreditedAbout': 'Anzeigen erscheinen, sobald Geld auf dem Konto ist.',
  'empty.create': 'Kampagne anlegen',
  'empty.createAbout': 'Ein Budget, ein Ort und ein Bild genügen.',
  'empty.count': 'Zählen, was zurückkommt',
  'empty.countAbout': 'Ein Stück Code auf Ihrer Bestellseite sagt, was jeder Verkauf wert war.',
  'empty.showSnippet': 'Code anzeigen',
  'empty.read': 'Den ersten Tag lesen',
  'empty.readAbout': 'Diese Seite füllt sich, sobald Ihre Anzeige gesehen wird, meist binnen einer Minute.',
  'empty.place': 'So steht eine Anzeige auf einer Seite',
  'empty.yourAd': 'Ihre Anzeige',
  'empty.twoWeeks': 'In zwei Wochen',
  'empty.day': 'Tag {day}',
  'empty.campaigns': 'Hier stehen bald Ihre Kampagnen',
  'empty.campaignsAbout': 'Jede mit ihrem Schalter, ihren Ausgaben von heute und dem, was zurückkam.',
  'empty.campaign1': 'Frühlingstulpen',
  'empty.campaign2': 'Muttertag',
  'empty.campaign3': 'Sommerstand',
  'empty.statistics': 'Zahlen kommen mit der ersten Impression',
  'empty.statisticsAbout': 'Meist binnen einer Minute.',
  'empty.starts': '{name} beginnt am {time}.',
  'empty.look': '{name} ansehen',
  'empty.conversions': 'Sehen, was jeder Verkauf wert war',
  'empty.conversionsAbout':
    'Noch keine Aktionen gezählt. Dieser Code gehört auf die Seite, die Danke sagt, der andere weiter unten auf jede Seite.',
  'empty.copySnippet': 'Code kopieren',
  'empty.noMatch': 'Nichts heißt „{search}“',
  'empty.noMatchAbout':
    'Durchsucht: {count} Zeile. Eine ID muss ganz eingegeben werden.|Durchsucht: {count} Zeilen. Eine ID muss ganz eingegeben werden.',
  'empty.clearSearch': 'Suche leeren',
  'empty.filtered': 'Nichts passt zu diesen Filtern',
  'empty.filteredAbout': 'Von {count} Zeile.|Von {count} Zeilen.',
}
