// An endpoint is defined once, as a value: the server binds it, OpenAPI prints it, the client calls it.
// Browser-safe, so that contracts can be shared.

import type { Static, TSchema } from 'typebox'
import type { ProblemCode } from '../kernel/problem.ts'

/**
 * Who may call:
 * - `public`: anyone;
 * - `app`: an app-level super pair;
 * - `customer`: a customer pair for itself, or a super pair for a customer of its app.
 */
export type Access = 'public' | 'app' | 'customer'

/**
 * What an endpoint needs of a pair:
 * - `read`: nothing is changed;
 * - `edit`: a change that never costs more;
 * - `spend`: a change that may cost more;
 * - `approve`: it decides about what others propose;
 * - `rights`: it decides who may do what.
 */
export type Needs = 'read' | 'edit' | 'spend' | 'approve' | 'rights'

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
  /** What it needs of a pair; a GET without side effects reads. */
  needs?: Needs
  /** The path parameter that names a pair: any pair may do this to itself. */
  ofItself?: string
  /** The path parameter that names a campaign, for pairs that are limited to some; default: `cid`. */
  campaignIn?: string
  /** Names no campaign, and is possible with such a pair: it keeps to those campaigns itself. */
  ofAnyCampaign?: boolean
  /** Which staff may do it besides admins, though it changes something. */
  staff?: 'support' | 'finance'
  /** Of the app, and possible with a super pair of some customers: it keeps to those itself. */
  ofChosenCustomers?: boolean
  /** Which special provisioning of the app it needs. */
  provision?: 'passcode' | 'nopasscode' | 'sources'
  /** The customer comes as query parameter `cuid`. */
  cuid?: boolean
  /** Answers a list that `limit` and `after` page through. */
  list?: boolean
  /** Answers with an `etag` (a DELETE does not); a PUT and a DELETE honour `if-match`. */
  etag?: boolean
  /** A change that is possible while its customer is frozen. */
  whenFrozen?: boolean
  /** A GET that changes something: HEAD is not offered. */
  sideEffects?: boolean
  query?: Record<string, { schema: TSchema; required?: boolean; description: string }>
  body?: TSchema
  /** The body may be left out; every field of it is optional. */
  bodyOptional?: boolean
  /** Takes `dryRun=true`: everything is checked and answered as it would be, and nothing is kept. */
  dryRun?: boolean
  /** The ids of what it creates, as its answer names them. */
  makes?: readonly string[]
  /** The body is raw bytes or a special form; the route reads it. */
  rawBody?: { types: string[]; limitBytes: number }
  status?: 200 | 201 | 302
  /** Other statuses that the same answer may come with, and what each means. */
  otherStatuses?: Partial<Record<200 | 201 | 202, string>>
  answer: TSchema | null
  /** What it answers with 202 if its work is too large for one call: a job. */
  later?: TSchema
  /** Answered by the thin path (data-plane.ts), not by the framework: described here, and bound there. */
  dataPlane?: boolean
  /** Its errors are a status and nothing else. */
  bareErrors?: boolean
  /** Answers 204 without a body when there is nothing to return. */
  mayBeEmpty?: boolean
  /** Media types besides JSON that it can answer with. */
  also?: string[]
  /** Errors in addition to those of every endpoint with this access. */
  problems?: readonly ProblemCode[]
  examples?: { body?: unknown; answer?: unknown }
}

export type BodyOf<E> = E extends { body: infer S extends TSchema } ? Static<S> : undefined
export type AnswerOf<E> = E extends { answer: infer S extends TSchema } ? Static<S> : null

/** Keeps the literal types of the schemas, checks the rest. */
export function endpoint<const E extends EndpointSpec>(spec: E): E {
  return spec
}
