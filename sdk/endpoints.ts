// Every endpoint that the client can call, straight from the contracts, and the types of its input and answer.

import type { Static, TSchema } from 'typebox'
import * as ownAgents from '../src/console/agents/contract.ts'
import * as sessions from '../src/console/contract.ts'
import * as ownSessions from '../src/console/own-sessions/contract.ts'
import * as passkeys from '../src/console/passkeys/contract.ts'
import * as conversions from '../src/count/conversions/contract.ts'
import * as cockpit from '../src/diagnose/cockpit/contract.ts'
import * as delivery from '../src/diagnose/funnel/contract.ts'
import * as issues from '../src/diagnose/issues/contract.ts'
import * as reach from '../src/diagnose/reach/contract.ts'
import type { AnswerOf, BodyOf, EndpointSpec } from '../src/http/endpoint.ts'
import type { ProblemParams, ProblemReason } from '../src/http/failure.ts'
import * as staff from '../src/identity/staff/contract.ts'
import * as attributes from '../src/manage/attributes/contract.ts'
import * as byHand from '../src/manage/banners/by-hand/contract.ts'
import * as banners from '../src/manage/banners/contract.ts'
import * as landing from '../src/manage/banners/landing/contract.ts'
import * as bulk from '../src/manage/bulk/contract.ts'
import * as bin from '../src/manage/campaigns/bin/contract.ts'
import * as campaigns from '../src/manage/campaigns/contract.ts'
import * as flights from '../src/manage/campaigns/flights/contract.ts'
import * as customers from '../src/manage/customers/contract.ts'
import * as credentials from '../src/manage/customers/credentials/contract.ts'
import * as members from '../src/manage/customers/members/contract.ts'
import * as jobs from '../src/manage/jobs/contract.ts'
import * as notes from '../src/manage/notes/contract.ts'
import * as orders from '../src/manage/orders/contract.ts'
import * as personas from '../src/manage/personas/contract.ts'
import * as proposals from '../src/manage/proposals/contract.ts'
import * as reference from '../src/manage/reference/contract.ts'
import * as siteLists from '../src/manage/site-lists/contract.ts'
import * as sources from '../src/manage/sources/contract.ts'
import * as undo from '../src/manage/undo/contract.ts'
import * as mails from '../src/notify/mails/contract.ts'
import * as webhooks from '../src/notify/webhooks/contract.ts'
import * as accounts from '../src/report/accounts/contract.ts'
import * as stats from '../src/report/figures/contract.ts'
import * as reports from '../src/report/resellers/contract.ts'
import * as savedViews from '../src/report/saved-views/contract.ts'
import * as sandbox from '../src/sandbox/contract.ts'

export const contracts = [
  customers,
  credentials,
  members,
  staff,
  accounts,
  campaigns,
  flights,
  bin,
  notes,
  orders,
  jobs,
  bulk,
  undo,
  proposals,
  personas,
  banners,
  byHand,
  landing,
  stats,
  savedViews,
  reports,
  siteLists,
  sources,
  attributes,
  conversions,
  delivery,
  reach,
  reference,
  issues,
  cockpit,
  mails,
  webhooks,
  sessions,
  passkeys,
  ownAgents,
  ownSessions,
  sandbox,
] as const
type Contract = (typeof contracts)[number]

type EndpointIn<C> = C extends unknown ? Extract<C[keyof C], EndpointSpec> : never
type AnyEndpoint = EndpointIn<Contract>

/** Each endpoint by its id. */
export type Endpoints = { [E in AnyEndpoint as E['id']]: E }
export type EndpointId = keyof Endpoints

/** What the client needs to know about an endpoint at run time. */
export type Route = Pick<
  EndpointSpec,
  'id' | 'method' | 'path' | 'access' | 'cuid' | 'list' | 'dryRun' | 'sideEffects' | 'status'
> & { query?: Record<string, unknown>; body?: unknown; rawBody?: unknown }

/** The service's own codes, and those of a call that got no answer. */
export type ErrorCode =
  | NonNullable<EndpointSpec['problems']>[number]
  | 'unknown'
  | 'malformed_answer'
  | 'proposed'
  | 'network_error'
  | 'timeout'

/** The `params` of each cause of a refusal. */
export type ErrorParams = ProblemParams
/** Why a call failed: a cause that the service names, or the code of a call that got no answer. */
export type ErrorReason = ProblemReason | Exclude<ErrorCode, ProblemReason>

export type { FieldError, FieldErrorCode, FieldErrorParams } from '../src/http/failure.ts'
export type { WebhookEvent } from '../src/notify/webhooks/contract.ts'

export const endpoints: Map<string, Route> = new Map(
  contracts
    .flatMap(contract => Object.values(contract) as unknown[])
    .filter(isEndpoint)
    .map(endpoint => [endpoint.id, endpoint]),
)

function isEndpoint(value: unknown): value is EndpointSpec {
  return typeof value === 'object' && value !== null && 'id' in value && 'method' in value && 'path' in value
}

type PathNames<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathNames<`/${Rest}`>
  : P extends `${string}:${infer Name}`
    ? Name
    : never
/** Variables in paths that are not ids. */
interface PathTexts {
  identifier: number | string
  email: string
  key: string
  sourceKey: string
  listKey: string
  externalId: string
  dimension: stats.Dimension
}
type PathInput<E extends EndpointSpec> = {
  [N in PathNames<E['path']>]: N extends keyof PathTexts ? PathTexts[N] : number
}

type QueryField = { schema: TSchema; required?: boolean }
type QueryValue<F> = F extends { schema: infer S extends TSchema } ? Static<S> : never
type QueryInput<E> = E extends { query: infer Q extends Record<string, QueryField> }
  ? { [N in keyof Q as Q[N] extends { required: true } ? N : never]: QueryValue<Q[N]> } & {
      [N in keyof Q as Q[N] extends { required: true } ? never : N]?: QueryValue<Q[N]>
    }
  : unknown

type CuidInput<E> = E extends { cuid: true } ? { cuid: number } : unknown
type TryInput<E> = E extends { dryRun: true }
  ? { dryRun?: boolean } & (E extends { cuid: true } ? { propose?: boolean } : unknown)
  : unknown
type PageInput<E> = E extends { list: true } ? { limit?: number; after?: number } : unknown

/** Bytes with their type (a `Blob`, or bytes and the option `contentType`), or a form with the field `file`. */
export type RawBody = Blob | Uint8Array<ArrayBuffer> | ArrayBuffer | FormData
type BodyInput<E> = E extends { rawBody: object }
  ? { body: RawBody }
  : E extends { body: TSchema; bodyOptional: true }
    ? { body?: BodyOf<E> }
    : E extends { body: TSchema }
      ? { body: BodyOf<E> }
      : unknown

/** Path variables, `cuid`, query parameters and `body` of a call, in one object. */
export type InputOf<Id extends EndpointId> = PathInput<Endpoints[Id]> &
  CuidInput<Endpoints[Id]> &
  PageInput<Endpoints[Id]> &
  TryInput<Endpoints[Id]> &
  QueryInput<Endpoints[Id]> &
  BodyInput<Endpoints[Id]>

/** The same for a client that knows its customer: `cuid` is optional. */
export type CustomerInputOf<Id extends EndpointId> = Endpoints[Id] extends { cuid: true }
  ? Omit<InputOf<Id>, 'cuid'> & { cuid?: number }
  : InputOf<Id>

/** Null: the answer was empty, if the endpoint allows that. */
export type OutputOf<Id extends EndpointId> =
  | AnswerOf<Endpoints[Id]>
  | (Endpoints[Id] extends { mayBeEmpty: true } ? null : never)

/** Endpoints that allow a dry run. */
export type TriedId = {
  [Id in EndpointId]: Endpoints[Id] extends { dryRun: true } ? Id : never
}[EndpointId]
type WithoutIds<T, Name> = T extends readonly (infer Item)[]
  ? WithoutIds<Item, Name>[]
  : T extends object
    ? {
        [K in keyof T as K extends Name ? never : K]: K extends 'flights' | 'personas' | 'banners'
          ? WithoutIds<T[K], Name>
          : T[K]
      }
    : T
/** The answer to a dry run: as in a real call, without the ids of new objects. */
export type TriedOf<Id extends TriedId> = Trial &
  (Endpoints[Id] extends { makes: readonly (infer Name)[] } ? WithoutIds<OutputOf<Id>, Name> : OutputOf<Id>)
interface Trial {
  dryRun: true
  /** The most that the change could add to the spend until the end. */
  costsAtMost: number
}

/** Endpoints whose calls can be proposed. */
export type ProposedId = {
  [Id in EndpointId]: Endpoints[Id] extends { cuid: true; dryRun: true } ? Id : never
}[EndpointId]
export type { Proposal, Proposed } from '../src/manage/proposals/contract.ts'

export type ListId = { [Id in EndpointId]: Endpoints[Id] extends { list: true } ? Id : never }[EndpointId]
export type ItemOf<Id extends ListId> = OutputOf<Id> extends (infer Item)[] ? Item : never
