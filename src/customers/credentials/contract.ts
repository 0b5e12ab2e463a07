// The pairs of a customer, as its endpoints show them.

import { type Static, Type } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import { Body, Deleted, UnixTime } from '../../http/schema.ts'
import { CustomerPair, pairExample } from '../contract.ts'

const credentialKey = Type.String({
  description: 'The key half of the pair. The token is shown only once, when it is issued.',
})

export const Credential = Body({
  key: credentialKey,
  created: UnixTime({ description: 'When it was issued.' }),
  expires: UnixTime({ description: 'When it expires.' }),
  byApp: Type.Boolean({ description: 'The app obtained it with its super pair, to act as the customer.' }),
})
export type Credential = Static<typeof Credential>

export const listCredentials = endpoint({
  id: 'listCredentials',
  method: 'GET',
  path: '/customer/:cuid/credential',
  tag: 'Customers',
  summary: 'List the valid pairs of a customer',
  description:
    'Oldest first. At most ten of its own and ten obtained by the app (`byApp`): an eleventh replaces the oldest of its kind.',
  access: 'customer',
  answer: Type.Array(Credential),
  examples: {
    answer: [{ key: pairExample.key, created: 1_790_000_000, expires: pairExample.expires, byApp: false }],
  },
})

export const createCredential = endpoint({
  id: 'createCredential',
  method: 'POST',
  path: '/customer/:cuid/credential',
  tag: 'Customers',
  summary: 'Create another pair for a customer',
  description:
    'Its token is shown only here. If there are already ten valid pairs of its kind, the oldest is revoked. Pairs that the app obtains with its super pair are a separate kind.',
  access: 'customer',
  status: 201,
  answer: CustomerPair,
  examples: { answer: { cuid: 1001, ...pairExample } },
})

export const revokeCredential = endpoint({
  id: 'revokeCredential',
  method: 'DELETE',
  path: '/customer/:cuid/credential/:key',
  tag: 'Customers',
  summary: 'Revoke a pair of a customer',
  description: 'Takes effect immediately here, and within 5 s in other processes. A pair may revoke itself.',
  access: 'customer',
  answer: Body({ key: credentialKey, deleted: Deleted }),
  examples: { answer: { key: pairExample.key, deleted: true } },
})
