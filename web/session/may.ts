// What the reader may do for the customer, by their role. The service decides; pages only leave out what it would refuse.

import { ROLES } from '../../src/customers/members/contract.ts'
import { useSession } from './session.ts'

export interface May {
  /** Change what costs nothing more, and propose the rest. */
  edit: boolean
  /** Spend, and decide about proposals. */
  spend: boolean
  /** Change people and keys, and freeze. */
  rights: boolean
}

/** The app, and a customer that its link has signed in, may do everything. */
export function useMay(): May {
  const { person } = useSession()
  const rank = ROLES.indexOf(person?.role ?? 'owner')
  const reaches = (role: (typeof ROLES)[number]) => rank >= ROLES.indexOf(role)
  return { edit: reaches('editor'), spend: reaches('manager'), rights: reaches('owner') }
}
