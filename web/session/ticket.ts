// A sign-in ticket or an invitation in the address is exchanged at once and removed from the address before anything
// else happens, so that it stays in no history and no log.

import { api, MarqueeError } from '../api/client.ts'
import type { Session } from './session.ts'

let refusal: unknown = null
let inDoubt: LinkSignIn | null = null

export type LinkSignIn = { ticket: string } | { invitation: string }

/** Why a ticket did not work; null if there is nothing to say. */
export function ticketRefusal(): unknown {
  return refusal
}

/** A ticket for someone other than the signed-in user, who is asked first. */
export function ticketToAskAbout(): LinkSignIn | null {
  return inDoubt
}

export async function redeemTicketInAddress(): Promise<Session | null> {
  const url = new URL(window.location.href)
  const ticket = url.searchParams.get('ticket')
  const invitation = url.searchParams.get('invitation')
  if (ticket === null && invitation === null) return null
  url.searchParams.delete('ticket')
  url.searchParams.delete('invitation')
  window.history.replaceState(null, '', url)
  const body: LinkSignIn = ticket === null ? { invitation: invitation! } : { ticket }
  try {
    return await api.signIn({ body })
  } catch (error) {
    if (error instanceof MarqueeError && error.code === 'session_open') inDoubt = body
    else refusal = error
    return null
  }
}
