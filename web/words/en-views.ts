// English: saved views of statistics, and their mails.

export const enViews = {
  'views.title': 'Saved views',
  'views.save': 'Save this view',
  'views.new': 'Save this view',
  'views.edit': 'Saved view “{name}”',
  'views.editNamed': 'Edit the saved view “{name}”',
  'views.name': 'Name',
  'views.aboutNew': 'It keeps the period, the figure, the breakdown and its filters.',
  'views.takeShown': 'Use what is shown now',
  'views.takeShownAbout': 'Replaces the period, figure, breakdown and filters of this view.',
  'views.every': 'By email',
  'every.off': 'Never',
  'every.daily': 'Every day',
  'every.weekly': 'Every Monday',
  'every.monthly': 'On the first of each month',
  'views.mailTo': 'To',
  'views.people': '{count} person|{count} people',
  'views.mailToAbout':
    'In the morning, with the last whole days. People who have never signed in get nothing.',
  'views.you': '{name} (you)',
  'views.saved': 'View “{name}” saved',
  'views.removed': 'View “{name}” removed',
  'views.remove': 'Remove',
  'views.isMailed': 'Mailed: {every}',
  'views.noSuchMember': 'One of these people no longer works here.',
  'views.tooMany': 'There are already {max} saved views, which is the limit. Remove some first.',
} as const
