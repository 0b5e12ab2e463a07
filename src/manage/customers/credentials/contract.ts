// The pairs of a customer, as the API shows them.

import { type Static, Type } from 'typebox'
import { endpoint } from '../../../http/endpoint.ts'
import { Body, Choice, Deleted, Id, Maybe, Nullable, Text, UnixTime } from '../../../http/schema.ts'
import { SCOPES, type Scope } from '../../../kernel/permissions.ts'
import { Ceilings } from '../ceilings/contract.ts'
import { CustomerPair, pairExample } from '../contract.ts'

export { SCOPES, type Scope }

const credentialKey = Type.String({
  description: 'The key half of the pair. The token is shown only once, when it is issued.',
})

const name = Text(1, 100, { description: 'What it is for, for people.', examples: ['Nightly sync'] })
const scope = Choice(SCOPES, {
  description:
    'What it may do: `read`; `propose`: also everything that costs nothing more; `spend`: also what costs more; `all`: also who may do what.',
})
const cids = Type.Array(Id('Campaign.'), {
  minItems: 1,
  maxItems: 100,
  description: 'Only these campaigns. Not with the scope `all`. Null: all of the customer.',
})
const rights = {
  name: Nullable(Type.String({ description: 'What it is for, for people.' })),
  scope,
  cids: Nullable(cids),
  ceilings: Nullable(Ceilings),
}

export const NewCredential = Body({
  name: Maybe(name),
  scope: Maybe(scope),
  cids: Maybe(cids),
  ceilings: Maybe(Ceilings),
  expires: Maybe(
    UnixTime({ description: 'When it expires; at the latest, and by default, after `CREDENTIAL_TTL`.' }),
  ),
})
export type NewCredential = Static<typeof NewCredential>

export const CreatedCredential = Body({ ...CustomerPair.properties, ...rights })
export type CreatedCredential = Static<typeof CreatedCredential>

export const Credential = Body({
  key: credentialKey,
  ...rights,
  created: UnixTime({ description: 'When it was issued.' }),
  createdBy: Nullable(
    Type.String({
      description:
        'Who made it: the key of a pair, the email of a person, `console` or `app`. Null: by signing in, or with the customer.',
    }),
  ),
  expires: UnixTime({ description: 'When it expires.' }),
  lastUsed: Nullable(UnixTime({ description: 'When it was last used, to about a minute. Null: never.' })),
  agent: Nullable(
    Body(
      {
        mid: Id('The member that it acts for.'),
        email: Type.String({ description: 'The email of that person.' }),
        host: Nullable(
          Type.String({
            description: 'The host whose document describes the program. Null: it may be anybody’s program.',
          }),
        ),
      },
      { description: 'It belongs to a program that a person lets act for them; null: it does not.' },
    ),
  ),
  byApp: Type.Boolean({ description: 'The app obtained it with its super pair, to act as the customer.' }),
})
export type Credential = Static<typeof Credential>

const rightsExample = {
  name: 'Nightly sync',
  scope: 'propose',
  cids: null,
  ceilings: { dailySpend: 100 },
} as const

export const listCredentials = endpoint({
  id: 'listCredentials',
  method: 'GET',
  path: '/customer/:cuid/credential',
  tag: 'Customers',
  summary: 'List the valid pairs of a customer',
  description:
    'Oldest first. At most ten of its own, ten obtained by the app (`byApp`) and ten of the programs that act for each person (`agent`): an eleventh replaces the oldest of its kind.',
  access: 'customer',
  answer: Type.Array(Credential),
  examples: {
    answer: [
      {
        key: pairExample.key,
        ...rightsExample,
        created: 1_790_000_000,
        createdBy: 'console',
        expires: pairExample.expires,
        lastUsed: null,
        agent: null,
        byApp: false,
      },
    ],
  },
})

export const createCredential = endpoint({
  id: 'createCredential',
  needs: 'rights',
  method: 'POST',
  path: '/customer/:cuid/credential',
  tag: 'Customers',
  summary: 'Create another pair for a customer',
  description:
    'Without a body it may do everything; `scope`, and then `cids` and `ceilings`, limit it. Only a pair with the scope `all` makes pairs. Its token is shown only here. If there are already ten valid pairs of its kind, the oldest is revoked. Pairs that the app obtains with its super pair are a separate kind.',
  access: 'customer',
  body: NewCredential,
  bodyOptional: true,
  status: 201,
  dryRun: true,
  makes: ['key', 'token'],
  answer: CreatedCredential,
  examples: {
    body: { name: 'Nightly sync', scope: 'propose' },
    answer: { cuid: 1001, ...pairExample, ...rightsExample },
  },
})

export const revokeCredential = endpoint({
  id: 'revokeCredential',
  ofItself: 'key',
  needs: 'rights',
  method: 'DELETE',
  path: '/customer/:cuid/credential/:key',
  tag: 'Customers',
  summary: 'Revoke a pair of a customer',
  description:
    'Takes effect immediately here, and within 1 s in other processes. Only a pair with the scope `all` revokes others; any pair may revoke itself.',
  access: 'customer',
  dryRun: true,
  answer: Body({ key: credentialKey, deleted: Deleted }),
  examples: { answer: { key: pairExample.key, deleted: true } },
})
