// A sign-in ticket in the address is exchanged at once and removed from the address before anything else happens, so
// that it stays in no history and no log.

import { api, MarqueeError } from '../api/client.ts'
import { problemSentence } from '../words/error-words.ts'
import type { Session } from './session.ts'

let refusal: string | null = null
let ticketInDoubt: string | null = null

/** What to say on the sign-in page about a ticket that did not work; said once. */
export function ticketRefusal(): string | null {
  return refusal
}

/** A ticket for someone other than the signed-in user: the user is asked first. */
export function ticketToAskAbout(): string | null {
  return ticketInDoubt
}

export async function redeemTicketInAddress(): Promise<Session | null> {
  const url = new URL(window.location.href)
  const ticket = url.searchParams.get('ticket')
  if (ticket === null) return null
  url.searchParams.delete('ticket')
  window.history.replaceState(null, '', url)
  try {
    return await api.signIn({ body: { ticket } })
  } catch (error) {
    if (error instanceof MarqueeError && error.code === 'session_open') ticketInDoubt = ticket
    else refusal = problemSentence(error)
    return null
  }
}
