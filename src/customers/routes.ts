// Customer endpoints, each to its verb.

import type { CredentialCheck } from '../access/credentials.ts'
import type { AppCaller } from '../kernel/caller.ts'
import { Answer, type Api, withEtag } from '../platform/http/api.ts'
import type { Customer } from './contract.ts'
import * as contract from './contract.ts'
import { createCustomer, editCustomer, findCustomer, listCustomers } from './customers.ts'
import {
  authenticate,
  authenticateWithoutPasscode,
  redeem,
  type SignInParts,
  sendPasscode,
  signIn,
} from './sign-in.ts'

export function customerRoutes(api: Api, parts: SignInParts & { credentials: CredentialCheck }): void {
  const { clock, credentials } = parts
  /** The gate let only super pairs in. */
  const app = (call: { caller: unknown }) => call.caller as AppCaller

  api.bind(contract.createCustomer, {
    handle: call => createCustomer(call.db, app(call).appId, call.body, parts),
  })
  api.bindList(contract.listCustomers, {
    idOf: (customer: Customer) => customer.cuid,
    page: call => (after, limit) => listCustomers(call.db, app(call).appId, after, limit),
  })
  api.bind(contract.readCustomer, {
    find: call => findCustomer(call.db, call.caller, call.params.cuid!),
    handle: async ({ found }) => withEtag(found.customer, found.etag),
  })
  api.bind(contract.editCustomer, {
    find: call => findCustomer(call.db, call.caller, call.params.cuid!),
    handle: async call => {
      const { cuid } = call.found.customer
      const { customer, etag } = await editCustomer(
        call.db,
        call.caller,
        cuid,
        call.body,
        call.ifMatch,
        clock,
      )
      credentials.forget(cuid)
      return withEtag(customer, etag)
    },
  })
  api.bind(contract.signInCustomer, {
    handle: async call => new Answer(null, { location: await signIn(parts, app(call), call.params.email!) }),
  })
  api.bind(contract.sendPasscode, {
    handle: async call => {
      const address = await sendPasscode(parts, app(call), call.params.email!)
      return { message: `A passcode was e-mailed to ${address}.` }
    },
  })
  api.bind(contract.authCustomer, {
    handle: call =>
      authenticate(parts, app(call), call.params.identifier!, call.query.passcode as string | undefined),
  })
  api.bind(contract.authCustomerWithoutPasscode, {
    handle: call => authenticateWithoutPasscode(parts, app(call), call.params.email!),
  })
  api.bind(contract.redeemSso, {
    handle: call => redeem(call.db, app(call), call.body.ticket, clock),
  })
}
