// A sign-in ticket in the address is traded at once and taken out of the address before anything else happens,
// so that it stays in no history and no log.

import { api } from '../api/client.ts'
import { problemSentence } from '../words/error-words.ts'
import type { Session } from './session.ts'

let refusal: string | null = null

/** What to tell on the sign-in page about a ticket that did not work; once. */
export function ticketRefusal(): string | null {
  return refusal
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
    refusal = problemSentence(error)
    return null
  }
}
