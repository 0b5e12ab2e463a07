// Deutsch: der Rahmen, die Anmeldung, Formulare, Tabellen, die Übersicht; alles andere steht in einer Datei für sich.

import { deAccount } from './de-account.ts'
import { deBanners } from './de-banners.ts'
import { deCampaigns } from './de-campaigns.ts'
import { deConversions } from './de-conversions.ts'
import { deErrors } from './de-errors.ts'
import { deForms } from './de-forms.ts'
import { dePersonas } from './de-personas.ts'
import { deSources } from './de-sources.ts'
import { deStaff } from './de-staff.ts'
import { deStats } from './de-stats.ts'
import { deWork } from './de-work.ts'
import type { Catalogue } from './en.ts'

export const de: Catalogue = {
  ...deAccount,
  ...deBanners,
  ...deCampaigns,
  ...deConversions,
  ...deErrors,
  ...deForms,
  ...dePersonas,
  ...deSources,
  ...deStaff,
  ...deStats,
  ...deWork,
  'common.loading': 'Wird geladen',
  'common.retry': 'Noch einmal versuchen',
  'common.refused': 'Das hat nicht geklappt',
  'common.requestId': 'Anfrage {id}',
  'common.unreachable': 'Der Dienst ist nicht erreichbar',
  'common.unreachableAbout':
    'Nichts ist verloren. Prüfen Sie die Verbindung und versuchen Sie es noch einmal.',
  'common.notFound': 'Diese Seite gibt es nicht',

  'shell.skip': 'Zum Inhalt springen',
  'shell.menu': 'Menü',
  'shell.navigation': 'Hauptnavigation',
  'shell.breadcrumbs': 'Wo Sie sind',
  'shell.account': 'Konto',
  'shell.language': 'Sprache',
  'shell.dark': 'Dunkle Farben verwenden',
  'shell.light': 'Helle Farben verwenden',
  'shell.overview': 'Übersicht',
  'shell.campaigns': 'Kampagnen',
  'shell.statistics': 'Statistik',
  'shell.customers': 'Kunden',
  'shell.webhooks': 'Webhooks',
  'shell.signedInAs': 'Angemeldet als',
  'shell.openedAs': 'Tätig für',
  'shell.closeCustomer': 'Zurück zu den Kunden',
  'shell.staff': 'Team der App',
  'shell.signOut': 'Abmelden',

  'signIn.title': 'Anmelden',
  'signIn.about': 'Wir senden Ihnen einen Code per E-Mail, ganz ohne Passwort.',
  'signIn.staffTitle': 'Anmeldung für das Team',
  'signIn.staffAbout': 'Mit Superkey und Supertoken Ihrer App.',
  'signIn.email': 'E-Mail-Adresse',
  'signIn.passcode': 'Code',
  'signIn.sendPasscode': 'Code per E-Mail senden',
  'signIn.sendAgain': 'Neuen Code senden',
  'signIn.enter': 'Anmelden',
  'signIn.asStaff': 'Ich gehöre zum Team der App',
  'signIn.asCustomer': 'Ich bin Kunde',
  'signIn.superkey': 'Superkey',
  'signIn.supertoken': 'Supertoken',

  'ticket.title': 'Konto wechseln?',
  'ticket.signedIn': 'Sie sind angemeldet als {name}.',
  'ticket.about':
    'Der Link, dem Sie gefolgt sind, meldet Sie bei einem anderen Konto an und beendet diese Sitzung. Wenn Sie das nicht erwartet haben, bleiben Sie hier.',
  'ticket.stay': 'Angemeldet bleiben',
  'ticket.replace': 'Konto wechseln',

  'form.name': 'Name',
  'form.refused': 'Bitte prüfen',
  'form.save': 'Änderungen speichern',
  'form.saved': 'Gespeichert.',
  'form.cancel': 'Abbrechen',
  'form.close': 'Schließen',
  'form.delete': 'Löschen',
  'form.edit': 'Bearbeiten',
  'form.editNamed': '{name} bearbeiten',
  'form.deleteNamed': '{name} löschen',
  'form.copy': 'Kopieren',
  'form.copied': 'Kopiert',
  'form.once': 'Kopieren Sie diese Angabe jetzt|Kopieren Sie diese Angaben jetzt',
  'form.onceAbout':
    'Sie wird nur hier und nur dieses eine Mal gezeigt.|Sie werden nur hier und nur dieses eine Mal gezeigt.',
  'form.kept': 'Ich habe sie aufbewahrt',
  'form.moreFields': 'Weitere Einstellungen',
  'form.fewerFields': 'Weniger Einstellungen',
  'form.removeNamed': '{name} entfernen',

  'table.search': 'Suchen',
  'table.rows': '{count} Zeile|{count} Zeilen',
  'table.chosen': '{count} ausgewählt|{count} ausgewählt',
  'table.csv': 'CSV',
  'table.select': '{name} auswählen',
  'table.selectAll': 'Alle auswählen',
  'table.actions': 'Aktionen',
  'table.total': 'Summe von {count}|Summe von {count}',

  'status.running': 'Läuft',
  'status.scheduled': 'Geplant',
  'status.paused': 'Pausiert',
  'status.spent': 'Budget aufgebraucht',
  'status.incomplete': 'Unvollständig',
  'status.ended': 'Beendet',
  'status.on': 'An',
  'status.unused': 'Ungenutzt',
  'status.off': 'Aus',
  'status.waiting': 'Wartet',
  'status.delivered': 'Zugestellt',
  'status.failed': 'Gescheitert',
  'status.pending': 'In Prüfung',
  'status.approved': 'Freigegeben',
  'status.rejected': 'Abgelehnt',

  'overview.hello': 'Hallo {name}',
  'overview.welcome': 'Willkommen',
  'overview.today': 'Ausgaben heute',
  'overview.ofBudget': 'von {budget}',
  'overview.noneRunning': 'Zurzeit läuft keine Kampagne.',
  'overview.allCampaigns': 'Alle {count} laufenden Kampagnen',
  'overview.attention': 'Braucht Aufmerksamkeit',
  'overview.allWell': 'Alles, was ausgeliefert werden soll, kann ausgeliefert werden.',
  'overview.moreIssues': 'Alle {count} zeigen',
  'issue.no_persona': 'Sie hat keine Persona und erreicht deshalb niemanden.',
  'issue.personas_paused': 'Alle ihre Personas sind pausiert.',
  'issue.no_banner': 'Es gibt kein Banner, das gezeigt werden könnte.',
  'issue.banners_paused': 'Alle ihre Banner sind pausiert.',
  'issue.place_unknown': 'Ein Ort ist unbekannt, vielleicht vertippt:',
  'issue.banner_rejected': 'Das Banner wurde abgelehnt:',
  'issue.banner_pending': 'Die Banner sind noch in Prüfung.',
  'issue.budget_spent': 'Das Tagesbudget ist aufgebraucht. Morgen geht es weiter.',
  'issue.ads_unseen':
    'Die meisten ihrer Anzeigen werden nie gesehen. Vielleicht fordert jemand Anzeigen an, ohne sie zu zeigen.',
  'issue.too_many_unseen': 'Eine Adresse hat mehr Anzeigen angefordert, ohne sie zu zeigen, als sie darf.',
  'issue.too_many_seen': 'Eine Adresse hat in einer Stunde mehr Anzeigen gesehen, als abgerechnet werden.',
  'issue.other_visitor':
    'Viele Einblendungen wurden von anderen gemeldet, als die Anzeigen angefordert hatten.',
}
