// German: programs that act for a person.

import type { enAgents } from './en-agents.ts'

export const deAgents: Record<keyof typeof enAgents, string> = {
  'agents.title': 'Programme, die für Personen handeln',
  'agents.about': 'Etwa KI-Assistenten. Jedes handelt für eine Person und darf nie mehr als diese Person.',
  'agents.program': 'Programm',
  'agents.for': 'Handelt für',
  'agents.connected': 'Verbunden',
  'agents.claimed': 'Nicht geprüft',
  'agents.end': 'Zugriff entziehen',
  'agents.endNamed': '{name} den Zugriff entziehen',
  'agents.endTitle': '{name} den Zugriff entziehen?',
  'agents.endAbout':
    'Der Zugriff endet sofort. Was es getan hat, bleibt. Sie können es jederzeit neu verbinden.',
  'agents.ended': 'Zugriff entzogen',
  'agents.ask': 'Darf {name} für Sie handeln?',
  'agents.described':
    'Dieses Programm ist auf {host} beschrieben. Es nennt sich {name}; den Namen hat niemand geprüft.',
  'agents.unknown':
    'Dieses Programm sagt nur, dass es {name} ist. Niemand weiß, von wem es stammt. Erlauben Sie es nur, wenn Sie das gerade selbst begonnen haben.',
  'agents.goesTo': 'Wenn Sie es erlauben, geht es zurück zu {host}.',
  'agents.goesHere': 'Wenn Sie es erlauben, geht es zurück zu einem Programm auf diesem Gerät ({host}).',
  'agents.signedIn': 'Angemeldet als {email}',
  'agents.customer': 'Für',
  'agents.may': 'Es darf',
  'agents.scope.read': 'Nur lesen',
  'agents.scope.propose': 'Auch ändern, was keine Mehrkosten verursacht, und alles andere vorschlagen',
  'agents.scope.spend': 'Auch Geld ausgeben, bis zu den Grenzen unten',
  'agents.scopeAbout.propose': 'Über jeden Vorschlag entscheiden Menschen, in der Konsole.',
  'agents.limits': 'Höchstens, pro Tag',
  'agents.all': 'Alle Kampagnen zusammen',
  'agents.each': 'Eine Kampagne',
  'agents.needed': 'Ohne diese Grenze darf es kein Geld ausgeben.',
  'agents.until': 'Das endet spätestens am {date}, und wenn das Programm 30 Tage lang nicht genutzt wird.',
  'agents.takeAway': 'Sie können es jederzeit entziehen: Konto, Schlüssel.',
  'agents.allow': 'Erlauben',
  'agents.deny': 'Nicht erlauben',
  'agents.done': 'Sie sind auf dem Weg zurück zu {name}. Diese Seite können Sie schließen.',
  'agents.wrong': 'Dieses Programm lässt sich nicht verbinden',
  'agents.wrongAbout':
    'Es hat auf eine Weise gefragt, die hier nicht möglich ist. Wer es entwickelt, will das wissen: {detail}',
  'agents.back': 'Zurück zum Programm',
  'agents.nobody': 'Sie arbeiten für keinen Kunden, für den sich das erlauben ließe.',
  'agents.changed':
    'Was dieses Programm über sich sagt, hat sich gerade geändert. Sehen Sie es sich noch einmal an, bevor Sie es erlauben.',
  'agents.ofPeople':
    'Nur wer für den Kunden arbeitet, kann ein Programm für ihn handeln lassen. Melden Sie sich mit Ihrer eigenen E-Mail an.',
  'agents.tooMuch': 'Sie können nicht mehr erlauben, als Sie selbst dürfen.',
  'history.byAgent': '{name}, für {email}',
}
