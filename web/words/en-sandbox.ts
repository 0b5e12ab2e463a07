// English: the bar of a sandbox.

export const enSandbox = {
  'sandbox.bar': 'Sandbox',
  'sandbox.name': 'Sandbox',
  'sandbox.stands': 'The clock of this sandbox stands still until staff move it.',
  'sandbox.hour': '+1 hour',
  'sandbox.day': '+1 day',
  'sandbox.midnight': 'To midnight',
  'sandbox.end': 'To the end of this campaign',
  'sandbox.perHour': 'Ad requests per hour',
  'sandbox.visitors': 'A day of visitors',
  'sandbox.moving': 'The clock is being moved',
  'sandbox.moved': '{count} event happened on the way|{count} events happened on the way',
  'sandbox.visited': 'Counted: {imps}, {clicks}',
}
