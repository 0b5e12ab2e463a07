// English: the account.

export const enAccount = {
  'account.title': 'Account',
  'account.details': 'Details',
  'account.emailAbout': 'You sign in with it. To change it, ask whoever runs this service.',
  'account.preferences': 'How you see things',
  'account.preferencesAbout': 'Kept in this browser.',
  'account.distance': 'Distances',
  'account.language': 'Language',
  'account.languageAbout': 'Of the console and of mails.',
  'account.zoneAbout': 'Periods of figures and reports by mail are in it.',
  'account.theirPreferences': 'Language and time zone',
  'error.timeZone': 'Choose one of the time zones.',
} as const
