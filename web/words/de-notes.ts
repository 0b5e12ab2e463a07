// Deutsch: Notizen zu einem Tag im Diagramm.

import type { enNotes } from './en-notes.ts'

export const deNotes: { [W in keyof typeof enNotes]: string } = {
  'notes.title': 'Notizen',
  'notes.add': 'Notiz hinzufügen',
  'notes.addOn': 'Notiz zum {day} hinzufügen',
  'notes.editNamed': 'Notiz „{text}“ bearbeiten',
  'notes.edit': 'Notiz bearbeiten',
  'notes.day': 'Tag',
  'notes.text': 'Notiz',
  'notes.textAbout': 'Sie steht im Diagramm, für alle, die hier arbeiten.',
  'notes.about': 'Sie betrifft',
  'notes.thisCampaign': 'Diese Kampagne',
  'notes.everything': 'Alle Kampagnen',
  'notes.ofCampaign': 'Sie betrifft die Kampagne {name}.',
  'notes.clickToAdd': 'Klicken für eine Notiz',
  'notes.enterToAdd': 'Mit der Eingabetaste fügen Sie eine Notiz hinzu.',
  'notes.number': 'Notiz {number}:',
  'notes.more': 'und {count} weitere|und {count} weitere',
  'notes.added': 'Notiz hinzugefügt',
  'notes.removed': 'Notiz entfernt',
  'notes.remove': 'Entfernen',
  'notes.tooMany': 'Es gibt schon {max} Notizen, mehr sind nicht möglich. Entfernen Sie zuerst einige.',
  'history.remove': '{who} hat {noun} „{name}“ entfernt',
  'theNoun.note': 'die Notiz',
}
