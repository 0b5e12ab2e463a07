// Deutsch: Quellen, für die Mitarbeiter einer App.

import type { enSources } from './en-sources.ts'

export const deSources: { [W in keyof typeof enSources]: string } = {
  'sources.title': 'Publisher',
  'sources.about': 'Websites und Ad Exchanges, die Anzeigen anfordern. Der Betreiber trägt sie ein.',
  'sources.none': 'Keine Websites oder Ad Exchanges eingetragen',
  'sources.noneAbout': 'Der Betreiber kann eine hinzufügen: marquee source add site',
  'sources.site': 'Website',
  'sources.exchange': 'Ad Exchange',
  'sources.today':
    'Heute {count} Impression Ihrer Kunden, {spend}|Heute {count} Impressionen Ihrer Kunden, {spend}',
  'sources.key': 'Öffentlicher Schlüssel',
  'sources.serverKey': 'Ihre Server verwenden den Serverschlüssel, der beim Anlegen angezeigt wurde.',
  'sources.noServerKey':
    'Es gibt keinen Serverschlüssel. Der Betreiber kann einen erzeugen: marquee source server-key',
  'sources.size': 'Anzeigengröße',
  'sources.tag': 'Tag für die Stelle, an der die Anzeige erscheinen soll',
  'sources.frame': 'Oder ein Iframe, wo Skripte nicht erlaubt sind',
  'sources.server': 'Oder von einem Server, im Namen seiner Besucher',
  'sources.bidUrl': 'Die Gebots-URL ist geheim. Der Betreiber kann sie nachsehen: marquee source list',
  'sources.notice': 'Impressionen werden durch die Abrechnungsmeldung gezählt.',
  'sources.cpc': 'Kampagnen mit Klickpreis bieten hier mit.',
  'sources.noCpc':
    'Kampagnen mit Klickpreis bieten hier nicht mit. Der Betreiber kann es erlauben: marquee source cpc {name}',
  'sources.pixel': 'Impressionen werden durch das Zählpixel gezählt.',
}
