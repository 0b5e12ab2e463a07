// Binds each customer endpoint to its verb.

import { inTx, type Tx } from '../../changes/tx.ts'
import { Answer, type Api } from '../../http/api.ts'
import { bodyToCreate, byExternalId, type ExternalKey } from '../../http/external-id.ts'
import { fitsFilter, type NamedFilter, only } from '../../http/list.ts'
import { type CredentialCheck, listPairs, revokeCustomerPair } from '../../identity/credentials.ts'
import { emailKey } from '../../kernel/address.ts'
import { type AppCaller, type Caller, maySee } from '../../kernel/caller.ts'
import { notFound, refusal } from '../../kernel/errors/problem.ts'
import { parseId } from '../../kernel/id.ts'
import type { Db } from '../../platform/database.ts'
import { type Acting, bindVerbs, pageOf } from '../noun.ts'
import type { Customer, CustomerEdit } from './contract.ts'
import * as contract from './contract.ts'
import * as credentialContract from './credentials/contract.ts'
import { createPair } from './credentials/credentials.ts'
import {
  type Accounts,
  addCustomer,
  type CustomerVerbParts,
  createCustomer,
  deleteCustomer,
  editCustomer,
  type FoundCustomer,
  findCustomer,
  findCustomers,
  listCustomers,
  restoreOwnCustomer,
  setFrozen,
} from './customers.ts'
import { BATCHES_A_CALL, eraseCustomer } from './erase.ts'
import * as memberContract from './members/contract.ts'
import {
  addMember,
  editMember,
  findMember,
  inviteMember,
  listMembers,
  removeMember,
  resetPasskeys,
} from './members/members.ts'
import { lockCustomersByExternalId } from './queries.ts'
import {
  authenticate,
  authenticateWithoutPasscode,
  redeem,
  type SignInParts,
  sendPasscode,
  signIn,
} from './sign-in.ts'

export interface CustomerParts extends SignInParts, Pick<CustomerVerbParts, 'beginMails'> {
  accounts: Accounts
  credentials: CredentialCheck
  /** How long a deletion can be undone, in seconds. */
  restoreWithinS: number
  outboxDir: string
  /** The deployment's time zone, for customers without one of their own. */
  timeZone: string
}

type CustomerFilter = NamedFilter & { email?: string }

export function customerRoutes(api: Api, parts: CustomerParts): void {
  const { clock, credentials, db } = parts
  /** The gate let only super pairs in. */
  const app = (call: { caller: unknown }) => call.caller as AppCaller

  const idOf = (customer: Customer) => customer.cuid
  /** A new pair may have ended the oldest, which this process may still know. */
  const newlyIssued = <P extends { cuid: number }>(pair: P): P => {
    credentials.forget(pair.cuid)
    return pair
  }
  const found = (call: { db: Db; caller: Caller; params: Record<string, string> }) =>
    findCustomer(call.db, { ...call, clock }, call.params)

  api.bind(contract.createCustomer, {
    stillThere: (call, made) => findCustomer(call.db, { ...call, clock }, made),
    handle: call => createCustomer(call.db, app(call), call.body, parts),
  })
  api.bindList(contract.listCustomers, {
    idOf,
    page: call => {
      const caller = app(call)
      const { email, externalId, q, deleted } = call.query as CustomerFilter & { deleted?: boolean }
      const shown = (item: Customer) => [item.company, item.email]
      if (deleted) {
        const gone = (after: number, limit: number) =>
          listCustomers(call.db, caller, parts, { after, limit, ...pageOf(call.query, parts) })
        const wanted = email === undefined ? undefined : emailKey(email)
        const fits = (item: Customer) =>
          (wanted === undefined || emailKey(item.email) === wanted) &&
          fitsFilter({ q, externalId }, item, shown(item))
        return only(gone, idOf, fits, call.longRead)
      }
      const page = (after: number, limit: number) =>
        email === undefined && externalId === undefined
          ? listCustomers(call.db, caller, parts, { after, limit })
          : findCustomers(call.db, caller, { email, externalId }, { after, limit }, clock)
      return q === undefined
        ? page
        : only(page, idOf, item => fitsFilter({ q }, item, shown(item)), call.longRead)
    },
  })
  const forgotten = (found: FoundCustomer) => {
    credentials.forget(found.customer.cuid)
    return found
  }
  const endpoints = {
    read: contract.readCustomer,
    edit: contract.editCustomer,
    put: contract.putCustomer,
    // A frozen customer is paused as a whole.
    pause: contract.freezeCustomer,
    resume: contract.unfreezeCustomer,
    restore: contract.restoreCustomer,
  }
  bindVerbs(api, parts, endpoints, {
    find: findCustomer,
    show: (_db, _call, found: FoundCustomer) => found,
    answer: ({ customer, etag }) => ({ body: customer, etag }),
    edit: async (tx, call, found, edit: CustomerEdit) => forgotten(await editCustomer(tx, call, found, edit)),
    setEnabled: (tx, call, found, enabled) => setFrozen(tx, call, found, !enabled),
    remove: deleteCustomer,
    restore: (tx, call, ids) => restoreOwnCustomer(tx, app(call), parts, ids),
    byExternal: {
      rows: byExternalId('customer', ({ cuid }) => cuid, lockCustomersByExternalId),
      parentOf: call => app(call).appId,
      within: call => app(call).cuids,
      schema: contract.NewCustomer,
      create: async (tx, call, body: CustomerEdit, key) =>
        forgotten(await createByExternalId(tx, call, body, key)),
    },
  })
  api.bind(contract.deleteCustomer, {
    find: call => (call.query.erase ? Promise.resolve(null) : found(call)),
    // Erasing takes several transactions.
    ownTransactions: true,
    handle: async call => {
      const caller = app(call)
      if (!call.found) return erase(parts, caller, call.params.cuid!, call.ifMatch)
      const { customer } = call.found
      const { cuid } = customer
      const acting = { ...call, cuid, clock }
      const answer = await inTx(db, tx => deleteCustomer(tx, acting, { customer }))
      credentials.forget(cuid)
      return answer
    },
  })
  api.bind(credentialContract.listCredentials, {
    find: found,
    handle: call => listPairs(call.db, call.found.customer.cuid, clock),
  })
  api.bind(credentialContract.createCredential, {
    find: found,
    stillThere: async (call, { key }) => {
      const pairs = await listPairs(call.db, call.found.customer.cuid, clock)
      if (!pairs.some(pair => pair.key === key)) throw notFound('credential')
    },
    handle: async call => {
      const pair = await createPair(call.db, call.caller, call.found, call.body, parts)
      return newlyIssued(pair)
    },
  })
  api.bind(credentialContract.revokeCredential, {
    find: found,
    handle: async call => {
      const { cuid } = call.found.customer
      const { key } = call.params
      await revokeCustomerPair(call.db, cuid, key!, clock)
      credentials.forget(cuid)
      return { key: key!, deleted: true as const }
    },
  })
  memberRoutes(api, parts)
  api.bind(contract.signInCustomer, {
    handle: async call => new Answer(null, { location: await signIn(parts, app(call), call.params.email!) }),
  })
  api.bind(contract.sendPasscode, {
    handle: async call => {
      const address = await sendPasscode(parts, app(call), call.params.email!)
      return { message: `A passcode was emailed to ${address}.` }
    },
  })
  api.bind(contract.authCustomer, {
    handle: async call => {
      const passcode = call.query.passcode as string | undefined
      return newlyIssued(await authenticate(parts, app(call), call.params.identifier!, passcode))
    },
  })
  api.bind(contract.authCustomerWithoutPasscode, {
    handle: async call =>
      newlyIssued(await authenticateWithoutPasscode(parts, app(call), call.params.email!)),
  })
  api.bind(contract.redeemSso, {
    handle: call => redeem(call.db, app(call), call.body.ticket, clock),
  })
}

/** Issues no pair, because a call that may be repeated must not issue one each time: `…/auth` does that. */
async function createByExternalId(
  tx: Tx,
  call: Acting & CustomerParts,
  { apiAccess, ceilings, ...fields }: CustomerEdit,
  key: ExternalKey,
): Promise<FoundCustomer> {
  const caller = call.caller as AppCaller
  if (caller.cuids !== null) throw refusal('some_customers_only')
  const body = bodyToCreate<contract.NewCustomer>(contract.NewCustomer, fields, key)
  const added = await addCustomer(tx, caller, body, call)
  return apiAccess === false || ceilings
    ? editCustomer(tx, { ...call, ifMatch: null }, added, { apiAccess, ceilings })
    : added
}

/** The people who work for a customer. */
function memberRoutes(api: Api, parts: CustomerParts): void {
  const found = (call: { db: Db; caller: Caller; params: Record<string, string> }) =>
    findCustomer(call.db, { ...call, clock: parts.clock }, call.params)
  const foundMember = async (call: { db: Db; caller: Caller; params: Record<string, string> }) => {
    const { cuid } = (await found(call)).customer
    return { cuid, member: await findMember(call.db, cuid, call.params.mid!) }
  }
  /** Programs that act for this person may do no more than they. */
  const bounding = <T>(cuid: number, done: T): T => {
    parts.credentials.forget(cuid)
    return done
  }
  api.bind(memberContract.listMembers, {
    find: found,
    handle: call => listMembers(call.db, call.found.customer.cuid),
  })
  api.bind(memberContract.addMember, {
    find: found,
    stillThere: (call, { mid }) => findMember(call.db, call.found.customer.cuid, String(mid)),
    handle: call => addMember(call.db, call.caller, call.found, call.body, parts),
  })
  api.bind(memberContract.inviteMember, {
    find: found,
    handle: call => inviteMember(call.db, call.caller, call.found, call.params.mid!, parts),
  })
  api.bind(memberContract.editMember, {
    find: foundMember,
    present: async call => call.found.member,
    handle: async ({ db, caller, found: { cuid, member }, body }) =>
      bounding(cuid, await editMember(db, caller, cuid, member.mid, body, parts)),
  })
  api.bind(memberContract.removeMember, {
    find: foundMember,
    handle: async ({ db, caller, found: { cuid, member } }) =>
      bounding(cuid, await removeMember(db, caller, cuid, member.mid, parts)),
  })
  api.bind(memberContract.resetPasskeys, {
    find: found,
    handle: call => {
      // The person may work for other customers, too.
      if ((call.caller as AppCaller).cuids !== null) throw refusal('some_customers_only')
      return resetPasskeys(call.db, call.caller, call.found, call.params.mid!, parts)
    },
  })
}

async function erase(parts: CustomerParts, caller: AppCaller, cuidText: string, ifMatch: string | null) {
  if (ifMatch !== null) throw refusal('if_match_not_honoured')
  const cuid = parseId(cuidText)
  if (cuid === null || !maySee(caller, cuid)) throw notFound('customer')
  const { appId, key: actor } = caller
  const erased = await eraseCustomer(parts, { cuid, appId, actor }, BATCHES_A_CALL)
  parts.credentials.forget(cuid)
  return new Answer({ cuid, deleted: true as const, erased }, {}, { status: erased ? 200 : 202 })
}
