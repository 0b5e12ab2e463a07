// English: signing in. It comes with the first script, in all languages.

export const enDoor = {
  'common.unreachable': 'The service cannot be reached',
  'shell.language': 'Language',
  'shell.dark': 'Switch to dark mode',
  'shell.light': 'Switch to light mode',
  'signIn.title': 'Sign in',
  'signIn.about': 'We will email you a passcode. No password needed.',
  'signIn.staffTitle': 'Staff sign-in',
  'signIn.staffAbout': "Use your app's super key and token.",
  'signIn.email': 'Email address',
  'signIn.passcode': 'Passcode',
  'signIn.sendPasscode': 'Email me a passcode',
  'signIn.sendAgain': 'Send another passcode',
  'signIn.enter': 'Sign in',
  'signIn.asStaff': 'I am app staff',
  'signIn.asCustomer': 'I am a customer',
  'signIn.superkey': 'Super key',
  'signIn.supertoken': 'Super token',
  'signIn.showToken': 'Show token',
  'signIn.hideToken': 'Hide token',
  'session.passcodeSent': 'If {email} belongs to a customer, a passcode is on its way to that address.',
} as const
