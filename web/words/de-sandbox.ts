// Deutsch: die Leiste einer Sandbox.

import type { enSandbox } from './en-sandbox.ts'

export const deSandbox: { [W in keyof typeof enSandbox]: string } = {
  'sandbox.bar': 'Sandbox',
  'sandbox.name': 'Sandbox',
  'sandbox.stands': 'Die Uhr dieser Sandbox steht, bis das Personal sie weiterstellt.',
  'sandbox.hour': '+1 Stunde',
  'sandbox.day': '+1 Tag',
  'sandbox.midnight': 'Bis Mitternacht',
  'sandbox.end': 'Bis zum Ende dieser Kampagne',
  'sandbox.perHour': 'Anzeigenanfragen pro Stunde',
  'sandbox.visitors': 'Ein Tag mit Besuchern',
  'sandbox.moving': 'Die Uhr wird weitergestellt',
  'sandbox.moved': '{count} Ereignis auf dem Weg|{count} Ereignisse auf dem Weg',
  'sandbox.visited': 'Gezählt: {imps}, {clicks}',
}
