// Deutsch: die Menschen, die für eine App arbeiten.

import type { enColleagues } from './en-colleagues.ts'

export const deColleagues: { [W in keyof typeof enColleagues]: string } = {
  'staff.title': 'Team',
  'staff.about': 'Alle melden sich mit ihrer eigenen E-Mail-Adresse an und dürfen, was ihre Rolle erlaubt.',
  'staff.none': 'Noch niemand im Team',
  'staff.noneAbout':
    'Laden Sie die Menschen ein, die Ihre Kunden betreuen, statt den Superkey weiterzugeben.',
  'staff.role.support': 'Support',
  'staff.role.finance': 'Finanzen',
  'staff.role.admin': 'Admin',
  'staff.may.support': 'Sieht alles, pausiert Kampagnen und prüft Banner.',
  'staff.may.finance': 'Sieht alles und bucht ein, was Kunden gezahlt haben.',
  'staff.may.admin': 'Darf alles und entscheidet, wer zum Team gehört.',
  'staff.removeAbout': 'Die Person wird sofort abgemeldet und kann sich nicht mehr als Team anmelden.',
  'staff.history': 'Änderungen',
  'staff.noHistory': 'Noch keine Änderungen',
  'staff.add': '{who} hat {name} hinzugefügt: {role}',
  'staff.edit': '{who} hat {name} die Rolle {role} gegeben',
  'staff.rename': '{who} hat {before} in {name} umbenannt',
  'staff.remove': '{who} hat {name} entfernt',
  'staff.reset_passkeys': '{who} hat die Passkeys von {name} zurückgesetzt',
}
