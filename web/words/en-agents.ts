// English: programs that act for a person.

export const enAgents = {
  'agents.title': 'Programs that act for people',
  'agents.about':
    'Such as AI assistants. Each acts for one person, never with more rights than that person has.',
  'agents.program': 'Program',
  'agents.for': 'Acts for',
  'agents.connected': 'Connected',
  'agents.claimed': 'Not verified',
  'agents.end': 'Take access away',
  'agents.endNamed': 'Take access away from {name}',
  'agents.endTitle': 'Take access away from {name}?',
  'agents.endAbout': 'It loses access immediately. What it has done stays. You can connect it again.',
  'agents.ended': 'Access taken away',
  'agents.ask': 'Let {name} act for you?',
  'agents.described':
    'This program is described at {host}. It calls itself {name}; nobody has checked the name.',
  'agents.unknown':
    'This program only says that it is {name}. Nobody knows who made it. Allow it only if you started this yourself, just now.',
  'agents.goesTo': 'If you allow it, you go back to {host}.',
  'agents.goesHere': 'If you allow it, you go back to a program on this device ({host}).',
  'agents.signedIn': 'Signed in as {email}',
  'agents.customer': 'For',
  'agents.may': 'It may',
  'agents.scope.read': 'Only read',
  'agents.scope.propose': 'Also change what costs nothing more, and propose the rest',
  'agents.scope.spend': 'Also spend money, up to the limits below',
  'agents.scopeAbout.propose': 'People decide about each proposal, in the console.',
  'agents.limits': 'At most, per day',
  'agents.all': 'All campaigns together',
  'agents.each': 'One campaign',
  'agents.needed': 'Without this limit it may not spend money.',
  'agents.until': 'It ends on {date} at the latest, and when the program is not used for 30 days.',
  'agents.takeAway': 'You can take it away at any time: Account, Keys.',
  'agents.allow': 'Allow',
  'agents.deny': 'Do not allow',
  'agents.done': 'You are on your way back to {name}. You can close this page.',
  'agents.wrong': 'This program cannot be connected',
  'agents.wrongAbout': 'It asked in a way that is not possible here. Its makers will want to know: {detail}',
  'agents.back': 'Back to the program',
  'agents.nobody': 'You work for no customer that this could be allowed for.',
  'agents.changed':
    'What this program says of itself has just changed. Look at it again before you allow it.',
  'agents.ofPeople':
    'Only people who work for the customer can let a program act for it. Sign in with your own email.',
  'agents.tooMuch': 'You cannot allow more than you may do yourself.',
  'history.byAgent': '{name}, for {email}',
} as const
