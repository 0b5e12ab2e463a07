// English: the account.

export const enAccount = {
  'account.title': 'Account',
  'account.details': 'Details',
  'account.emailAbout': 'You sign in with this address. To change it, contact the operator of this service.',
  'account.preferences': 'Preferences',
  'account.preferencesAbout': 'Saved in this browser.',
  'account.distance': 'Distances',
  'account.language': 'Language',
  'account.languageAbout': 'For the console and emails.',
  'account.zoneAbout': 'Used for reporting periods and email reports.',
  'account.theirPreferences': 'Language and time zone',
  'error.timeZone': 'Choose a time zone from the list.',
  'mails.title': 'Emails',
  'mails.about': 'Every email also has an unsubscribe link.',
  'mails.report': 'Performance report',
  'mails.report.off': 'Never',
  'mails.report.daily': 'Daily',
  'mails.report.weekly': 'Weekly',
  'mails.bannerRejected': 'When a banner is rejected',
  'mails.budgetSpent': 'When a campaign has spent its daily budget',
  'mails.stopped': 'When a running campaign stops delivering',
} as const
