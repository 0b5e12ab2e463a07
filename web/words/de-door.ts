// German: signing in.

import type { enDoor } from './en-door.ts'

export const deDoor: Record<keyof typeof enDoor, string> = {
  'common.unreachable': 'Der Dienst ist nicht erreichbar',
  'shell.language': 'Sprache',
  'shell.dark': 'Zum dunklen Design wechseln',
  'shell.light': 'Zum hellen Design wechseln',
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
  'signIn.showToken': 'Token anzeigen',
  'signIn.hideToken': 'Token verbergen',
  'session.passcodeSent': 'Wenn {email} einem Kunden gehört, ist ein Code an diese Adresse unterwegs.',
}
