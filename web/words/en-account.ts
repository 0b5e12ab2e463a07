// English: the account.

export const enAccount = {
  'account.title': 'Account',
  'account.details': 'Details',
  'account.emailAbout': 'You sign in with it. To change it, ask the operator of this service.',
  'account.preferences': 'Preferences',
  'account.preferencesAbout': 'Saved in this browser.',
  'account.distance': 'Distances',
  'account.language': 'Language',
  'account.languageAbout': 'For the console and mails.',
  'account.zoneAbout': 'Used for periods of figures and reports by mail.',
  'account.theirPreferences': 'Language and time zone',
  'error.timeZone': 'Choose one of the time zones.',
  'mails.title': 'Mails',
  'mails.about': 'Each mail also has a link that switches it off.',
  'mails.report': 'Report of your figures',
  'mails.report.off': 'None',
  'mails.report.daily': 'Every day',
  'mails.report.weekly': 'Every week',
  'mails.bannerRejected': 'When a banner is rejected',
  'mails.budgetSpent': "When a campaign has spent its day's budget",
  'mails.stopped': 'When a running campaign stops delivering',
} as const
