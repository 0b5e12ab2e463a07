// Deutsch: der Papierkorb mit dem, was gelöscht wurde.

import type { enBin } from './en-bin.ts'

export const deBin: { [W in keyof typeof enBin]: string } = {
  'bin.title': 'Papierkorb',
  'bin.about':
    'Gelöschtes bleibt hier {count} Tag lang, dann ist es weg.|Gelöschtes bleibt hier {count} Tage lang, dann ist es weg.',
  'bin.none': 'Der Papierkorb ist leer',
  'bin.noneAbout':
    'Kampagnen, Flights, Personas und Banner, die Sie löschen, lassen sich hier {count} Tag lang wiederherstellen.|Kampagnen, Flights, Personas und Banner, die Sie löschen, lassen sich hier {count} Tage lang wiederherstellen.',
  'bin.of': '{noun} von {campaign}',
  'bin.deleted': 'Gelöscht am {when} · {who}',
  'bin.until': 'aufbewahrt bis {day}',
  'bin.more': 'Mehr anzeigen',
  'bin.byProgram': 'Ein Programm',
  'bin.restore': 'Wiederherstellen',
  'bin.restoreNamed': '{name} wiederherstellen',
  'bin.restored': '„{name}“ wurde wiederhergestellt.',
  'bin.noun.campaign': 'Kampagne',
  'bin.noun.flight': 'Flight',
  'bin.noun.persona': 'Persona',
  'bin.noun.banner': 'Banner',
}
