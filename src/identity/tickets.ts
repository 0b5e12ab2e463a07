// Single sign-on tickets: one use, valid for 60 s, stored hashed. The redirect contains the ticket and a POST redeems
// it, so a link scanner that follows the redirect does not use it up.

import { createHash } from 'node:crypto'
import { refusal } from '../kernel/errors/problem.ts'
import type { Clock } from '../kernel/time/clock.ts'
import type { Db } from '../platform/database.ts'
import { randomText } from './pair.ts'
import { insertTicket, selectTicket, takeTicket } from './queries.ts'

export const TICKET_SECONDS = 60
const TICKET_CHARACTERS = 43

export async function issueTicket(
  db: Db,
  owner: { appId: number; cuid: number },
  clock: Clock,
): Promise<string> {
  const ticket = `mqti_${randomText(TICKET_CHARACTERS)}`
  const expiresAt = new Date(clock.nowMs() + TICKET_SECONDS * 1000)
  await insertTicket(db, { ticketHash: hashTicket(ticket), ...owner, expiresAt })
  return ticket
}

/** The customer that a ticket would sign in, without using it up; null if the ticket is not valid. */
export async function customerOfTicket(db: Db, ticket: string, clock: Clock): Promise<number | null> {
  return (await selectTicket(db, hashTicket(ticket), new Date(clock.nowMs())))?.cuid ?? null
}

/** The customer that a ticket signs in; throws 401 if it is unknown, used, expired or another app's. */
export async function redeemTicket(
  db: Db,
  ticket: string,
  appId: number | null,
  clock: Clock,
): Promise<{ appId: number; cuid: number }> {
  const row = await takeTicket(db, hashTicket(ticket))
  if (!row || row.expires_at.getTime() <= clock.nowMs() || (appId !== null && row.app_id !== appId)) {
    throw refusal('ticket_invalid')
  }
  return { appId: row.app_id, cuid: row.cuid }
}

function hashTicket(ticket: string): Buffer {
  return createHash('sha256').update(ticket).digest()
}
