// Deutsch: Passkeys, der zweite Faktor der Anmeldung, und wo man angemeldet ist.

import type { enPasskeys } from './en-passkeys.ts'

export const dePasskeys: Record<keyof typeof enPasskeys, string> = {
  'passkeys.reset': 'Passkeys zurücksetzen',
  'passkeys.resetNamed': 'Passkeys von {name} zurücksetzen',
  'passkeys.resetTitle': 'Passkeys von {name} zurücksetzen?',
  'passkeys.resetAbout':
    'Für jemanden, der sie verloren hat. Die Person wird überall abgemeldet, bekommt eine E-Mail und meldet sich nur mit Code an, bis sie einen neuen registriert.',
  'passkeys.wereReset': 'Die Passkeys von {name} sind entfernt.',
  'passkeys.hadNone': '{name} hatte keine Passkeys.',
  'passkeys.title': 'Passkeys',
  'passkeys.about':
    'Mit einem Passkey reicht Ihr Postfach allein nicht zur Anmeldung: Nach dem Code fragt Ihr Gerät nach Fingerabdruck, Gesicht oder PIN oder nach einem Sicherheitsschlüssel.',
  'passkeys.none': 'Noch kein Passkey',
  'passkeys.name': 'Name des Passkeys',
  'passkeys.nameAbout': 'Zur Unterscheidung von anderen, etwa „Mein Laptop“.',
  'passkeys.add': 'Passkey hinzufügen',
  'passkeys.register': 'Passkey anlegen',
  'passkeys.added': 'Passkey hinzugefügt',
  'passkeys.created': 'Hinzugefügt',
  'passkeys.lastUsed': 'Zuletzt benutzt',
  'passkeys.never': 'Nie',
  'passkeys.remove': 'Entfernen',
  'passkeys.removeNamed': '{name} entfernen',
  'passkeys.removeTitle': '{name} entfernen?',
  'passkeys.removeAbout': 'Ohne Passkey genügt zur Anmeldung ein Code per E-Mail.',
  'passkeys.askTitle': 'Passkey benutzen',
  'passkeys.askAbout': 'Anmeldung als {email}. Ein Schritt fehlt noch: Ihr Passkey.',
  'passkeys.use': 'Passkey benutzen',
  'passkeys.lost': 'Passkey verloren? Der Betreiber dieses Dienstes kann ihn zurücksetzen.',
  'passkeys.wantedTitle': 'Passkey anlegen',
  'passkeys.wantedAbout':
    'Anmeldung als {email}. Dieser Dienst verlangt einen Passkey: Legen Sie einen an, um fortzufahren.',
  'passkeys.cancelled': 'Das wurde abgebrochen oder hat zu lange gedauert. Versuchen Sie es noch einmal.',
  'passkeys.already': 'Dieser Passkey ist bereits angelegt.',
  'passkeys.last':
    'Hier ist ein Passkey Pflicht. Fügen Sie einen weiteren hinzu, bevor Sie diesen entfernen.',
  'passkeys.impossible': 'Dieser Browser kennt keine Passkeys, oder die Adresse ist nicht sicher (https).',
  'sessions.title': 'Wo Sie angemeldet sind',
  'sessions.about':
    'Eine Sitzung endet 12 Stunden nach der letzten Nutzung, spätestens nach 7 Tagen. Melden Sie ab, was Sie nicht kennen.',
  'sessions.list': 'Sitzungen',
  'sessions.browser': 'Browser',
  'sessions.unknown': 'Unbekannter Browser',
  'sessions.this': 'Diese hier',
  'sessions.began': 'Angemeldet',
  'sessions.lastUsed': 'Zuletzt genutzt',
  'sessions.endNamed': '{name} abmelden, angemeldet {when}',
  'sessions.endTitle': '{name} abmelden?',
  'sessions.endAbout':
    'Um dort weiterzuarbeiten, müssen Sie sich neu anmelden. Was dort nicht gespeichert wurde, geht verloren.',
  'sessions.ended': 'Dort abgemeldet',
  'sessions.endOthers': 'Überall sonst abmelden',
  'sessions.endOthersTitle': 'Überall sonst abmelden?',
  'sessions.othersEnded': '{count} Sitzung abgemeldet|{count} Sitzungen abgemeldet',
  'code.passkey_invalid': 'Dieser Passkey wurde nicht angenommen. Versuchen Sie es noch einmal.',
  'code.passkey_needed': 'Melden Sie sich zuerst mit Ihrem Passkey an: Laden Sie die Seite neu.',
}
