// Deutsch: wo Anzeigen gezeigt werden dürfen, Website-Listen, und was Publisher von Anzeigen verlangen.

import type { enSites } from './en-sites.ts'

export const deSites: { [W in keyof typeof enSites]: string } = {
  'sites.title': 'Wo sie gezeigt wird',
  'sites.only': 'Nur auf diesen Websites',
  'sites.onlyAbout':
    'Je Zeile eine: news.example (mit Subdomains), app:com.example.game, source:2 oder list:premium. Leer: überall.',
  'sites.not': 'Nie auf diesen Websites',
  'sites.notAbout': 'Auf die gleiche Weise.',
  'sites.everywhere': 'überall',
  'sites.onlyOn': 'nur auf {sites}',
  'sites.notOn': 'nie auf {sites}',
  'lists.title': 'Website-Listen',
  'lists.about':
    'Websites und Apps unter einem Namen. Kunden und Kampagnen nennen sie als list:Schlüssel; eine Änderung gilt für alle innerhalb einer Sekunde.',
  'lists.new': 'Neue Liste',
  'lists.create': 'Liste anlegen',
  'lists.key': 'Schlüssel',
  'lists.keyAbout': 'Kleinbuchstaben, Ziffern, - und _. Er lässt sich später nicht ändern.',
  'lists.name': 'Name',
  'lists.entries': 'Websites und Apps',
  'lists.entriesAbout': 'Je Zeile eine: news.example (mit Subdomains), app:com.example.game oder source:2.',
  'lists.count': 'Einträge',
  'lists.customers': 'Kunden',
  'lists.campaigns': 'Kampagnen',
  'lists.file': 'website-listen',
  'lists.none': 'Noch keine Website-Listen',
  'lists.noneAbout': 'Eine Liste fasst Websites zusammen, die viele Kampagnen brauchen oder meiden.',
  'lists.editNamed': '{name} bearbeiten',
  'lists.remove': 'Löschen',
  'lists.removeNamed': '{name} löschen',
  'lists.removeTitle': '„{name}“ löschen?',
  'lists.removeAbout': 'Das geht nur, solange kein Kunde und keine Kampagne sie nennt.',
  'lists.removed': '{name} ist gelöscht.',
  'terms.floor': 'Niedrigster CPM',
  'terms.floorAbout': 'Kampagnen, die weniger einbringen, werden dort nicht gezeigt. Leer: keine Grenze.',
  'terms.floors': 'Niedrigster CPM nach Größe',
  'terms.floorsAbout': 'Je Zeile eine: 970x250 3,00',
  'terms.categories': 'Abgelehnte Kategorien',
  'terms.categoriesAbout': 'Kampagnen, die dafür werben, werden dort nicht gezeigt.',
  'terms.advertisers': 'Abgelehnte Werbekunden',
  'terms.advertisersAbout':
    'Je Zeile eine Domain, auf die keine Anzeige führen darf. Subdomains gehören dazu.',
  'terms.atLeast': 'Anzeigen bringen mindestens {cpm} je 1.000 Impressionen.',
  'terms.atLeastFor': 'Für {size}: mindestens {cpm}.',
  'terms.refuses': 'Abgelehnt: {refused}',
  'error.siteEntry':
    'Schreiben Sie eine Domain wie news.example, app:Bundle, source:Nummer oder list:Schlüssel: {value}',
  'error.listInList': 'Eine Liste kann keine anderen Listen enthalten.',
  'error.unknownList': 'Es gibt keine Website-Liste „{value}“.',
  'error.unknownSource': 'Es gibt keine Quelle {value}.',
}
