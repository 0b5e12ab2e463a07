// An endpoint is defined once, as a value: the server binds it, OpenAPI describes it, the client calls it.
// Browser-safe, so that contracts can be shared.

import type { Static, TSchema } from 'typebox'
import type { ProblemCode } from '../kernel/errors/problem.ts'
import type { Needs, Provision, StaffRole } from '../kernel/permissions.ts'

/**
 * Who may call:
 * - `public`: anyone;
 * - `app`: an app-level super pair;
 * - `customer`: a customer pair for itself, or a super pair for a customer of its app.
 */
export type Access = 'public' | 'app' | 'customer'

export interface EndpointSpec {
  /** operationId, and the method's name in the client. */
  id: string
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Fastify style: `/campaign/:cid`. */
  path: string
  tag: string
  summary: string
  description?: string
  access: Access
  /** What it needs of a pair. Without it, a GET without side effects needs `read`. */
  needs?: Needs
  /** The path parameter that names a pair; any pair may do this to itself. */
  ofItself?: string
  /** Names no campaign by `cid`, but is open to pairs of some campaigns: the endpoint itself keeps to those. */
  ofAnyCampaign?: boolean
  /** The staff role that may do it besides admins, although it changes something. */
  staff?: Exclude<StaffRole, 'admin'>
  /** An app-level endpoint that is open to super pairs of some customers: it keeps to those itself. */
  ofChosenCustomers?: boolean
  /** The special provisioning that the app needs for it. */
  provision?: Provision
  /** The customer is given by the query parameter `cuid`. */
  cuid?: boolean
  /** Answers a list that `limit` and `after` page through. */
  list?: boolean
  /** Answers with an `etag` (a DELETE does not); PUT and DELETE honour `if-match`. */
  etag?: boolean
  /** A change that is possible even while its customer is frozen. */
  whenFrozen?: boolean
  /** Manages the customer in its path itself, so a super pair may do it although that customer's API access is off. */
  whenAccessOff?: boolean
  /** A GET that changes something: HEAD is not offered. */
  sideEffects?: boolean
  query?: Record<string, { schema: TSchema; required?: boolean; description: string }>
  body?: TSchema
  /** How large the body may be, if not as usual (`bodyLimitOf`). */
  bodyBytes?: number
  /** The body may have very many values and objects (kernel/json-bounds.ts). */
  manyValues?: boolean
  /** The body may be left out; every field of it is optional. */
  bodyOptional?: boolean
  /** Takes `dryRun=true`: everything is checked and answered as it would be, but nothing is kept. */
  dryRun?: boolean
  /** The ids of the objects it creates, as its answer names them. */
  makes?: readonly string[]
  /** The body is raw bytes or a special form; the route reads it. */
  rawBody?: { types: string[]; limitBytes: number }
  status?: 200 | 201 | 302
  /** Other statuses that the same answer may come with, and what each means. */
  otherStatuses?: Partial<Record<200 | 201 | 202, string>>
  answer: TSchema | null
  /** What it answers with 202, a job, if its work is too large for one call. */
  later?: TSchema
  /** Answered by the thin path (data-plane.ts), not by the framework: described here, bound there. */
  dataPlane?: boolean
  /** Its errors are a status without a body. */
  bareErrors?: boolean
  /** Answers 204 without a body when there is nothing to return. */
  mayBeEmpty?: boolean
  /** Media types besides JSON that it can answer with. */
  also?: string[]
  /** Errors in addition to those that every endpoint with this access has. */
  problems?: readonly ProblemCode[]
  examples?: { body?: unknown; answer?: unknown }
}

export type BodyOf<E> = E extends { body: infer S extends TSchema } ? Static<S> : undefined
export type AnswerOf<E> = E extends { answer: infer S extends TSchema } ? Static<S> : null

/** Keeps the literal types of the schemas and checks the rest. */
export function endpoint<const E extends EndpointSpec>(spec: E): E {
  return spec
}
