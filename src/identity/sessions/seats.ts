// A person is an email address within an app. Its seats are the customers that the person works for, each with a role.

import { emailKey } from '../../kernel/address.ts'
import type { Role } from '../../kernel/permissions.ts'
import type { Db } from '../../platform/database.ts'
import { insertMissingOwner, type SeatRow, selectSeats, updateJoined } from './seat-queries.ts'

export interface Seat {
  mid: number
  cuid: number
  email: string
  name: string | null
  role: Role
  company: string
  language: 'en' | 'de' | null
  apiAccess: boolean
  /** Whether this is the customer's own email. */
  isFirst: boolean
}

/** `person`: the address in its normalized form. */
export async function seatsOf(db: Db, appId: number, person: string): Promise<Seat[]> {
  return (await selectSeats(db, appId, person)).map(toSeat)
}

/** `seatsOf` for a person who wants to sign in. */
export async function seatsToSignIn(db: Db, appId: number, email: string): Promise<Seat[]> {
  await insertMissingOwner(db, appId, emailKey(email))
  return seatsOf(db, appId, emailKey(email))
}

/** Records when a person first signed in. */
export const noteJoined = updateJoined

/** Who owns a passcode of this person: the customer whose own email it is, otherwise the person's oldest seat. */
export function passcodeOwnerOf(seats: readonly Seat[]): number | null {
  return seats.find(({ isFirst }) => isFirst)?.cuid ?? seats[0]?.mid ?? null
}

function toSeat(row: SeatRow): Seat {
  const { mid, cuid, email, name, role, company, language } = row
  return { mid, cuid, email, name, role, company, language, apiAccess: row.api_access, isFirst: row.is_first }
}
