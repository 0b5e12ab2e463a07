// Deutsch: die Attribute, die eine App bekannt gibt, und wo die Gebotsanfragen einer Quelle sie haben.

import type { enAttributes } from './en-attributes.ts'

export const deAttributes: { [W in keyof typeof enAttributes]: string } = {
  'attributes.about':
    'Was Ihre App über Seiten, Läden und Besuche weiß. Anfragen sagen es, und Kampagnen richten sich danach. Keine personenbezogenen Daten.',
  'attributes.new': 'Neues Attribut',
  'attributes.create': 'Attribut anlegen',
  'attributes.keyAbout': 'Wie Anfragen es nennen, etwa section. Er lässt sich später nicht ändern.',
  'attributes.badKey':
    'Ein Schlüssel beginnt mit einem Kleinbuchstaben. Dann folgen Kleinbuchstaben, Ziffern, - und _, zusammen höchstens 40 Zeichen.',
  'attributes.taken': 'Es gibt schon ein Attribut mit diesem Schlüssel.',
  'attributes.label': 'Name',
  'attributes.labelAbout': 'Für Menschen. Leer: der Schlüssel.',
  'attributes.kind': 'Art',
  'attributes.kind.choice': 'Auswahl: einer oder mehrere der Werte, die Sie angeben',
  'attributes.kind.words': 'Wörter: beliebige, etwa Schlagwörter oder Suchbegriffe',
  'attributes.kind.number': 'Zahl, etwa ein Preis',
  'attributes.short.choice': 'Auswahl',
  'attributes.short.words': 'Wörter',
  'attributes.short.number': 'Zahl',
  'attributes.choices': 'Werte',
  'attributes.choicesAbout':
    'Je Zeile einer, wie Anfragen ihn nennen. Ein Name für Menschen kann folgen: sport = Sportseiten',
  'attributes.appOnly': 'Nur die App richtet Kampagnen danach',
  'attributes.appOnlyAbout': 'Sonst auch ihre Kunden.',
  'attributes.fromPublic': 'Seiten dürfen es sagen',
  'attributes.fromPublicAbout':
    'Mit dem öffentlichen Schlüssel einer Website, den jeder senden kann: nicht für das, was stimmen muss.',
  'attributes.file': 'attribute',
  'attributes.none': 'Noch keine Attribute',
  'attributes.noneAbout':
    'Geben Sie an, was Ihre App weiß, etwa die Rubrik einer Seite. Dann können Kampagnen sich danach richten.',
  'attributes.removeAbout': 'Anfragen können es nicht mehr sagen.',
  'attributes.usedBy':
    '{count} Persona richtet sich danach: {uses}|{count} Personas richten sich danach: {uses}',
  'attributes.use': 'Persona {pid} (Kunde {cuid}, Kampagne {cid})',
  'attributes.usedAbout': 'Was sie verlangen, hat dann keine Anfrage mehr.',
  'attributes.removeAnyway': 'Trotzdem löschen',
  'attributes.saveAnyway': 'Trotzdem speichern',
  'attributes.add': '{who} hat {name} angelegt',
  'attributes.edit': '{who} hat {name} geändert: {fields}',
  'attributes.remove': '{who} hat {name} gelöscht',
  'attributes.places': 'Stellen in Gebotsanfragen',
  'attributes.placesAbout':
    'keywords, user.keywords, site.ext.data.Name, app.ext.data.Name, user.ext.data.Name oder content.data.Anbieter. Was den Nutzer betrifft, braucht Einwilligung.',
  'attributes.placesOf': 'Stellen von {name}',
  'attributes.placesAdd': 'Stellen eines Attributs hinzufügen',
  'attributes.placesSaid': '{key} wird aus {places} gelesen.',
}
