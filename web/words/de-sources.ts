// Deutsch: Quellen, für die Mitarbeiter einer App.

import type { enSources } from './en-sources.ts'

export const deSources: { [W in keyof typeof enSources]: string } = {
  'sources.title': 'Publisher',
  'sources.about': 'Websites und Börsen, die Anzeigen anfordern. Der Betreiber des Dienstes trägt sie ein.',
  'sources.none': 'Keine Website und keine Börse ist eingetragen',
  'sources.noneAbout': 'Der Betreiber fügt eine hinzu mit: marquee source add site',
  'sources.site': 'Website',
  'sources.exchange': 'Börse',
  'sources.today':
    'Heute {count} Einblendung Ihrer Kunden, {spend}|Heute {count} Einblendungen Ihrer Kunden, {spend}',
  'sources.key': 'Öffentlicher Schlüssel',
  'sources.serverKey': 'Server verwenden den Serverschlüssel, der bei der Einrichtung gezeigt wurde.',
  'sources.noServerKey':
    'Es gibt keinen Serverschlüssel. Der Betreiber erzeugt einen mit: marquee source server-key',
  'sources.size': 'Anzeigengröße',
  'sources.tag': 'Tag, dort wo die Anzeige stehen soll',
  'sources.frame': 'Oder ein Rahmen, wo Skripte nicht erlaubt sind',
  'sources.server': 'Oder von einem Server, für seine Besucher',
  'sources.bidUrl': 'Die Gebotsadresse ist geheim. Der Betreiber findet sie mit: marquee source list',
  'sources.notice': 'Einblendungen werden durch die Abrechnungsmeldung gezählt.',
  'sources.pixel': 'Einblendungen werden durch das Zählpixel gezählt.',
}
