// Deutsch: Banner, die auf einen Menschen aus dem Team warten.

import type { enReview } from './en-review.ts'

export const deReview: { [W in keyof typeof enReview]: string } = {
  'review.title': 'Prüfung',
  'review.place': '{n} von {count}',
  'review.placeOfMany': '{n} von mehr als {count}',
  'review.none': 'Kein Banner wartet',
  'review.noneAbout':
    'Hier stehen Banner von Kunden, die von Hand geprüft werden, sobald sie alle Prüfungen bestanden haben. Das stellen Sie auf der Seite eines Kunden ein.',
  'review.banner': 'Banner {name}',
  'review.alt': 'Das Bild von {name}',
  'review.customer': 'Kunde',
  'review.campaign': 'Kampagne',
  'review.landing': 'Zielseite',
  'review.noLanding': 'Keine',
  'review.image': 'Bild',
  'review.animated': 'animiert',
  'review.since': 'Wartet seit',
  'review.again': 'Runde',
  'review.againAbout': 'Es wurde schon einmal geändert oder geprüft: Das ist Runde {round}.',
  'review.approve': 'Freigeben',
  'review.reject': 'Ablehnen',
  'review.previous': 'Zurück',
  'review.next': 'Weiter',
  'review.keys': 'Tasten: A gibt frei, R lehnt ab, ← und → blättern.',
  'review.approved': '{name} ist freigegeben.',
  'review.rejected': '{name} ist abgelehnt.',
  'review.rejectTitle': '„{name}“ ablehnen?',
  'review.reason': 'Grund',
  'review.reasonAbout': 'Der Kunde liest ihn in der Konsole, per E-Mail und per Webhook.',
  'review.open': '{count} Banner prüfen|{count} Banner prüfen',
  'review.choice': 'Prüfung der Banner',
  'review.choiceAbout':
    'Von Hand: Jemand aus Ihrem Team sieht sich jedes Banner an, das alle Prüfungen bestanden hat, bevor es erscheint.',
  'review.asApp': 'Wie für die App',
  'review.automatic': 'Automatisch',
  'review.manual': 'Von Hand',
}
