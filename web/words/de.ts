// Deutsch: der Rahmen, die Anmeldung, Formulare, Tabellen, die Übersicht; alles andere steht in einer Datei für sich.

import { deAccount } from './de-account.ts'
import { deAgents } from './de-agents.ts'
import { deAnswers } from './de-answers.ts'
import { deAttributes } from './de-attributes.ts'
import { deBalance } from './de-balance.ts'
import { deBanners } from './de-banners.ts'
import { deBin } from './de-bin.ts'
import { deCampaigns } from './de-campaigns.ts'
import { deCockpit } from './de-cockpit.ts'
import { deColleagues } from './de-colleagues.ts'
import { deConversions } from './de-conversions.ts'
import { deCreated } from './de-created.ts'
import { deDoor } from './de-door.ts'
import { deEmpty } from './de-empty.ts'
import { deErrors } from './de-errors.ts'
import { deForms } from './de-forms.ts'
import { deNotes } from './de-notes.ts'
import { deOverview } from './de-overview.ts'
import { dePasskeys } from './de-passkeys.ts'
import { dePersonas } from './de-personas.ts'
import { deReview } from './de-review.ts'
import { deSandbox } from './de-sandbox.ts'
import { deSites } from './de-sites.ts'
import { deSources } from './de-sources.ts'
import { deStaff } from './de-staff.ts'
import { deStats } from './de-stats.ts'
import { deViews } from './de-views.ts'
import { deWork } from './de-work.ts'
import type { Catalogue } from './en.ts'

export const de: Catalogue = {
  ...deAccount,
  ...deAgents,
  ...deAnswers,
  ...deBalance,
  ...deBanners,
  ...deBin,
  ...deCampaigns,
  ...deColleagues,
  ...deConversions,
  ...deCreated,
  ...deDoor,
  ...deEmpty,
  ...deErrors,
  ...deForms,
  ...deNotes,
  ...deOverview,
  ...dePasskeys,
  ...dePersonas,
  ...deReview,
  ...deSandbox,
  ...deSites,
  ...deAttributes,
  ...deSources,
  ...deStaff,
  ...deCockpit,
  ...deStats,
  ...deViews,
  ...deWork,
  'common.loading': 'Wird geladen',
  'common.retry': 'Noch einmal versuchen',
  'common.refused': 'Das hat nicht geklappt',
  'common.requestId': 'Anfrage {id}',
  'common.unreachableAbout':
    'Es ist nichts verloren. Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal.',
  'common.notFound': 'Seite nicht gefunden',

  'shell.skip': 'Zum Inhalt springen',
  'shell.menu': 'Menü',
  'shell.ownZone': 'Zeitzone: {zone}, die des Dienstes, für alle Kunden',
  'shell.navigation': 'Hauptnavigation',
  'shell.breadcrumbs': 'Navigationspfad',
  'shell.account': 'Konto',
  'shell.overview': 'Übersicht',
  'shell.campaigns': 'Kampagnen',
  'shell.statistics': 'Statistik',
  'shell.customers': 'Kunden',
  'shell.webhooks': 'Webhooks',
  'shell.openedAs': 'Im Auftrag von',
  'shell.closeCustomer': 'Zurück zu den Kunden',
  'shell.staff': 'Team der App',
  'shell.signOut': 'Abmelden',

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
  'form.more': 'Weitere Aktionen',
  'form.delete': 'Löschen',
  'form.edit': 'Bearbeiten',
  'form.editNamed': '{name} bearbeiten',
  'form.deleteNamed': '{name} löschen',
  'form.copy': 'Kopieren',
  'form.copied': 'Kopiert',
  'form.once': 'Jetzt kopieren|Jetzt kopieren',
  'form.onceAbout':
    'Diese Angabe wird nicht noch einmal angezeigt.|Diese Angaben werden nicht noch einmal angezeigt.',
  'form.kept': 'Ich habe sie gespeichert',
  'form.moreFields': 'Weitere Einstellungen',
  'form.fewerFields': 'Weniger Einstellungen',
  'form.removeNamed': '{name} entfernen',

  'table.filters': 'Filter',
  'table.filtersUsed': '{count} Filter|{count} Filter',
  'table.noFilters': 'Filter zurücksetzen',
  'table.columns': 'Spalten',
  'table.atLeast': 'Mindestens',
  'table.atMost': 'Höchstens',
  'table.search': 'Suchen',
  'table.show': 'Angezeigte Zeilen',
  'table.range': 'Umschalt-Klick wählt einen Bereich aus.',
  'table.rows': '{count} Zeile|{count} Zeilen',
  'table.chosen': '{count} ausgewählt|{count} ausgewählt',
  'table.byId': 'mit der ID {id}',
  'table.yes': 'Ja',
  'table.no': 'Nein',
  'table.csv': 'CSV',
  'table.select': '{name} auswählen',
  'table.selectAll': 'Alle auswählen',
  'table.actions': 'Aktionen',
  'table.dense': 'Kompakte Zeilen',
  'table.total': 'Summe von {count}|Summe von {count}',

  'status.running': 'Läuft',
  'status.scheduled': 'Geplant',
  'status.paused': 'Pausiert',
  'status.frozen': 'Eingefroren',
  'status.spent': 'Budget aufgebraucht',
  'status.off_hours': 'Zeitplan-Pause',
  'spentBy.day': 'Tagesbudget leer',
  'spentBy.month': 'Monatsbudget leer',
  'spentBy.total': 'Gesamtbudget leer',
  'spentBy.balance': 'Guthaben leer',
  'status.incomplete': 'Unvollständig',
  'status.ended': 'Beendet',
  'status.on': 'An',
  'status.unused': 'Ungenutzt',
  'status.off': 'Aus',
  'status.waiting': 'Wartet',
  'status.delivered': 'Zugestellt',
  'status.failed': 'Fehlgeschlagen',
  'status.pending': 'In Prüfung',
  'status.approved': 'Freigegeben',
  'status.rejected': 'Abgelehnt',

  'issue.no_persona': 'Sie hat keine Persona und erreicht deshalb niemanden.',
  'issue.personas_paused': 'Alle ihre Personas sind pausiert.',
  'issue.no_banner': 'Sie hat kein Banner.',
  'issue.banners_paused': 'Alle ihre Banner sind pausiert.',
  'issue.attribute_unseen': 'Kein Besuch hat, wonach sich eine Persona richtet:',
  'issue.place_unknown': 'Ein Ort ist unbekannt, vielleicht ein Tippfehler:',
  'issue.banner_rejected': 'Das Banner wurde abgelehnt:',
  'issue.landing_page': 'Mit der Seite, auf die Klicks führen, stimmt etwas nicht:',
  'issue.banner_pending': 'Die Banner sind noch in Prüfung.',
  'issue.budget_spent': 'Das Tagesbudget ist aufgebraucht. Morgen geht es weiter.',
  'issue.off_hours': 'Sie läuft gerade nicht: Es ist außerhalb ihrer Zeiten.',
  'issue.frozen': 'Das Konto ist eingefroren. Heben Sie das auf, damit sie wieder läuft.',
  'issue.month_spent': 'Das Monatsbudget ist aufgebraucht. Am Monatsersten geht es weiter.',
  'issue.total_spent': 'Das Gesamtbudget ist aufgebraucht. Mit einem höheren geht es weiter.',
  'issue.balance_spent': 'Das Guthaben ist aufgebraucht. Nach dem Aufladen geht es weiter.',
  'issue.ads_unseen':
    'Die meisten ihrer Anzeigen werden nie gesehen. Möglicherweise fordert jemand Anzeigen an, ohne sie zu zeigen.',
  'issue.too_many_unseen': 'Eine IP-Adresse hat mehr Anzeigen als erlaubt angefordert, ohne sie zu zeigen.',
  'issue.visitor_share': 'Eine IP-Adresse hat ihren Anteil am Tagesbudget ausgeschöpft.',
  'issue.too_many_seen':
    'Eine IP-Adresse hat in einer Stunde mehr Anzeigen gesehen, als abgerechnet werden können.',
  'issue.other_visitor':
    'Viele Impressionen wurden von Besuchern gemeldet, die die Anzeigen nicht angefordert hatten.',
  'issue.foreign_domain':
    'Viele Impressionen wurden abgelehnt. Der Publisher muss alle Seiten nennen, die die Anzeigen zeigen.',
  'issue.bot': 'Viele Impressionen wurden abgelehnt, weil sie von Robotern kamen.',
  'issue.late': 'Viele Impressionen wurden abgelehnt, weil sie zu spät gemeldet wurden.',
  'issue.no_request_fits':
    'Sie läuft, aber niemand kommt vorbei, den sie erreichen soll. Erweitern Sie ihre Personas oder ergänzen Sie Bannergrößen.',
  'issue.below_floors':
    'Sie läuft, aber ihr Preis liegt unter dem, was Publisher verlangen. Erhöhen Sie den Preis.',
  'issue.mostly_blocked':
    'Sie läuft, aber die meisten Publisher sperren sie. Prüfen Sie ihre Kategorie und ihre Zielseite.',
  'issue.mostly_capped':
    'Sie läuft, aber ihre Besucher haben sie oft genug gesehen. Erhöhen Sie das Frequency Cap oder erreichen Sie mehr Menschen.',
  'issue.mostly_outbid': 'Sie läuft, aber andere bieten mehr. Erhöhen Sie den Preis, um öfter zu gewinnen.',
}
