// Deutsch: was geschieht, nachdem eine Kampagne angelegt wurde.

import type { enCreated } from './en-created.ts'

export const deCreated: { [W in keyof typeof enCreated]: string } = {
  'created.title': '{name} ist angelegt',
  'created.about':
    'Diese Seite zeigt, was jetzt geschieht. Sie können sie verlassen; nichts hier wartet auf Sie.',
  'created.steps': 'Was jetzt geschieht',
  'created.noBanner': 'Es fehlt ein Banner',
  'created.noBannerAbout': 'Noch kann nichts gezeigt werden. Ein Bild genügt.',
  'created.pending': 'Ihr Banner wird geprüft|{count} Banner werden geprüft',
  'created.pendingAbout': 'Meist dauert das wenige Minuten. Diese Zeile ändert sich von selbst.',
  'created.approved': 'Ihr Banner ist freigegeben|Alle {count} Banner sind freigegeben',
  'created.someApproved':
    '{approved} von {of} Bannern ist freigegeben|{approved} von {of} Bannern sind freigegeben',
  'created.rejected': 'Ihr Banner wurde abgelehnt|{count} Banner wurden abgelehnt',
  'created.unlike': 'Die anderen können gezeigt werden.',
  'created.correct': '{name} berichtigen',
  'created.running': 'Sie läuft',
  'created.runningAbout': 'Sie endet von selbst am {end}.',
  'created.startsThen': 'Sie beginnt, sobald ein Banner freigegeben ist',
  'created.startsThenAdd': 'Sie beginnt, sobald sie ein freigegebenes Banner hat',
  'created.starts': 'Sie beginnt am {start}',
  'created.startsAbout': 'Sie endet von selbst am {end}. Uhrzeiten gelten für {zone}.',
  'created.notNow': 'Sie wird gerade nicht ausgeliefert: {status}',
  'created.ended': 'Sie ist vorbei',
  'created.endedAbout': 'Sie endete am {end}.',
  'created.most': 'Sie kostet höchstens {amount}',
  'created.mostAbout':
    '{daily} am Tag an {count} Tag. Nie mehr, auf den Cent genau.|{daily} am Tag an {count} Tagen. Nie mehr, auf den Cent genau.',
  'created.mostMonths':
    'Kein Tag kostet mehr als {daily} und kein Monat mehr als {monthly}, auf den Cent genau.',
  'created.mostTotal': 'Das ist ihr Gesamtbudget. Nie mehr, auf den Cent genau.',
  'created.covers':
    'Ihr Guthaben von {balance} reicht allein für {count} Tag.|Ihr Guthaben von {balance} reicht allein für {count} Tage.',
  'created.meanwhile': 'Inzwischen',
  'created.meanwhileAbout':
    'Weitere Größen passen auf mehr Plätze, und Aktionen zeigen, was ein Klick wert war.',
  'created.addSize': 'Weitere Größe hinzufügen',
  'created.count': 'Aktionen zählen',
  'created.open': 'Kampagne öffnen',
}
