// The causes of problems with console sessions and passkeys, for the table in problem.ts.

export const SESSION_PROBLEMS = {
  customer_not_picked: ['session_refused', 'you work for several customers: pick one first'],
  session_ended: ['session_ended', 'the session has ended; sign in again'],
  session_refused: ['session_refused', 'a session can be used only from the console itself'],
  csrf_header_missing: ['session_refused', 'a call with a session needs the header {header:text}: 1'],
  session_cannot: ['session_refused', 'a console session cannot do this; send a key and token'],
  passkey_invalid: [
    'passkey_invalid',
    'this passkey was not accepted; ask for another challenge and try again',
  ],
  passkey_needed: ['passkey_needed', 'sign in with your passkey first'],
  passkey_missing: ['passkey_needed', 'a passkey is required here: register one first'],
  passkeys_of_people: ['session_refused', 'passkeys are for people who sign in by email'],
  sessions_of_people: ['session_refused', 'sessions are listed for people who sign in by email'],
  passkeys_impossible: [
    'conflict',
    'passkeys need an address of the service (PUBLIC_URL) with https and a host name',
  ],
  passkey_exists: ['conflict', 'this passkey is registered already'],
  too_many_passkeys: ['conflict', 'a person may have at most {max:number} passkeys'],
  last_passkey: ['conflict', 'a passkey is required here, and this is the last one: register another first'],
  passkey_mail_failed: ['mail_failed', 'the email about it could not be sent; nothing was changed'],
} as const
