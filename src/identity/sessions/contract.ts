// What a browser and the service say to each other about a session, beside the cookie itself.

/** The name of the cookie, with the prefix `__Host-` on https. */
export const SESSION_COOKIE = 'mqsession'

/**
 * The customer that a tab works as: for staff a cuid of their app, or `app`; for a person one of their customers.
 * Without it, the customer opened last.
 */
export const AS_HEADER = 'x-marquee-as'

/** What a person who signed in by email may have to do first. */
export const WAITS = ['passkey', 'new_passkey'] as const
