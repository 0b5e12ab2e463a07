// The typed client: one method for each endpoint of the contracts, so that it can never differ from them. It runs in
// browsers too. A refused call throws MarqueeError.

import {
  type CustomerInputOf,
  type EndpointId,
  endpoints,
  type InputOf,
  type ItemOf,
  type ListId,
  type OutputOf,
  type Proposal,
  type Proposed,
  type ProposedId,
  type Route,
  type TriedId,
  type TriedOf,
} from './endpoints.ts'
import { MarqueeError } from './errors.ts'
import { sendAndWait } from './later.ts'
import { type CustomerCredentials, createPair, type OwnCredentials } from './pair.ts'
import { type CallOptions, type ClientOptions, pathOf, type Sender, send } from './request.ts'
import { createLanes } from './waits.ts'

export type {
  ErrorCode,
  ErrorParams,
  ErrorReason,
  FieldError,
  FieldErrorCode,
  FieldErrorParams,
} from './endpoints.ts'
export { MarqueeError } from './errors.ts'
export type { AppCredentials, Credentials, CustomerCredentials, OwnCredentials } from './pair.ts'
export type { CallOptions, ClientOptions } from './request.ts'
export type {
  CustomerInputOf,
  EndpointId,
  InputOf,
  ItemOf,
  ListId,
  OutputOf,
  Proposal,
  Proposed,
  TriedId,
  TriedOf,
}

/** Without input, if the endpoint needs none. */
type Arguments<Input> =
  Partial<Input> extends Input
    ? [input?: Input, options?: CallOptions]
    : [input: Input, options?: CallOptions]

/** An answer with the values of its headers. */
export interface Meta<A> {
  answer: A
  status: number
  /** For `ifMatch`. */
  etag: string | null
  /** `after` of the next page of a list; null: this was the last one. */
  next: number | null
  /** Where a redirect leads. */
  location: string | null
  requestId: string | null
}

/** Who calls: a client that knows its customer fills in `cuid` itself. */
type Level = 'app' | 'customer'
type In<L extends Level, Id extends EndpointId> = L extends 'customer' ? CustomerInputOf<Id> : InputOf<Id>

/** A dry run is marked in its input, and answers without new ids. */
interface Tries<Input, Tried, Done> {
  (input: Input & { dryRun: true }, options?: CallOptions): Promise<Tried>
  (input: Input & { dryRun?: false | undefined }, options?: CallOptions): Promise<Done>
  (input: Input, options?: CallOptions): Promise<Tried | Done>
}

/** A call that is proposed answers with the proposal. */
type Proposes<Input, Made> = (
  input: Input & { propose: true; dryRun?: false | undefined },
  options?: CallOptions,
) => Promise<Made>
type ProposesIf<Id, Input, Made> = Id extends ProposedId ? Proposes<Input, Made> : unknown

type Methods<L extends Level> = {
  [Id in EndpointId]: Id extends TriedId
    ? ProposesIf<Id, In<L, Id>, Proposed> & Tries<In<L, Id>, TriedOf<Id>, OutputOf<Id>>
    : (...args: Arguments<In<L, Id>>) => Promise<OutputOf<Id>>
}

interface Forms<L extends Level> {
  /** The same calls; their answers come with status, etag and the next page. */
  withMeta: {
    [Id in EndpointId]: Id extends TriedId
      ? ProposesIf<Id, In<L, Id>, Meta<Proposed>> & Tries<In<L, Id>, Meta<TriedOf<Id>>, Meta<OutputOf<Id>>>
      : (...args: Arguments<In<L, Id>>) => Promise<Meta<OutputOf<Id>>>
  }
  /** Lists entry by entry, fetched page by page (`limit` is the size of a page). */
  each: { [Id in ListId]: (...args: Arguments<In<L, Id>>) => AsyncGenerator<ItemOf<Id>> }
  /** The same calls as the plain response: for CSV (`accept`), streams and files. */
  raw: { [Id in EndpointId]: (...args: Arguments<In<L, Id>>) => Promise<Response> }
  /** The address of a call, for links. */
  urlOf<Id extends EndpointId>(id: Id, input: In<L, Id>): string
}

export interface CustomerClient extends Methods<'customer'>, Forms<'customer'> {}

export interface Client extends Methods<'app'>, Forms<'app'> {
  /**
   * With a super pair: a client that works as this customer, with a pair that it obtains and renews automatically. All
   * clients for one customer share it.
   */
  asCustomer(cuid: number): CustomerClient
}

const PAGE_SIZE = 200
const PARALLEL = 40

type Call<R> = (input?: Record<string, unknown>, options?: CallOptions) => R

export function createClient(
  options: ClientOptions & ({ credentials: OwnCredentials } | { renew: () => Promise<OwnCredentials> }),
): CustomerClient
export function createClient(options: ClientOptions): Client
export function createClient(options: ClientOptions): CustomerClient | Client {
  const { credentials, baseUrl } = options
  if (baseUrl !== '' && !/^(?:https?:\/)?\//i.test(baseUrl))
    throw new TypeError(`baseUrl must begin with http:// or https://, not "${baseUrl}"`)
  return clientOf(senderOf(options, credentials && 'cuid' in credentials ? credentials.cuid : undefined))
}

function senderOf(options: ClientOptions, cuid: number | undefined): Sender {
  const pair = createPair(options.credentials, options.renew)
  return { options, pair, lanes: createLanes(options.maxParallel ?? PARALLEL), cuid }
}

function clientOf(sender: Sender): Client {
  const { options } = sender
  const raw = methods(
    route =>
      (input = {}, call = {}) =>
        send(sender, route, input, call, async response => response),
  )
  const withMeta = methods(
    route =>
      async (input = {}, call = {}) =>
        sendAndWait(sender, route, input, call, metaOf),
  )
  const plain = methods(
    route =>
      async (input = {}, call = {}) =>
        sendAndWait(sender, route, input, call, answerOf),
  )
  const each = methods(
    route =>
      (input = {}, call = {}) =>
        items(sender, route, input, call),
  )
  const urlOf = (id: string, input: Record<string, unknown>) =>
    options.baseUrl.replace(/\/+$/, '') + pathOf(endpoints.get(id)!, input, sender.cuid)
  // One pair per customer, however many clients ask: an app has ten per customer, and an eleventh ends the oldest.
  const customers = new Map<number, Sender>()
  const asCustomer = (cuid: number) => {
    // A POST, because it can be repeated if its answer was lost.
    const renew = () => plain.createCredential!({ cuid }) as Promise<CustomerCredentials>
    const own = customers.get(cuid) ?? senderOf({ ...options, credentials: undefined, renew }, cuid)
    customers.set(cuid, own)
    return clientOf(own)
  }
  return { ...plain, withMeta, each, raw, urlOf, asCustomer } as unknown as Client
}

function methods<R>(make: (route: Route) => Call<R>): Record<string, Call<R>> {
  return Object.fromEntries([...endpoints].map(([id, route]) => [id, make(route)]))
}

async function metaOf(response: Response): Promise<Meta<unknown>> {
  const { headers } = response
  const link = /<([^>]+)>; *rel="next"/.exec(headers.get('link') ?? '')
  return {
    answer: await answerOf(response),
    status: response.status,
    etag: headers.get('etag'),
    next: link ? Number(new URL(link[1]!, 'http://localhost').searchParams.get('after')) : null,
    location: headers.get('location'),
    requestId: headers.get('x-request-id'),
  }
}

async function answerOf(response: Response): Promise<unknown> {
  if (response.status === 302 || response.status === 204) return null
  try {
    return await response.json()
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    const body = { message: 'the answer is not JSON', code: 'malformed_answer' as const }
    throw new MarqueeError(response.status, body, { requestId: response.headers.get('x-request-id'), cause })
  }
}

async function* items(
  sender: Sender,
  route: Route,
  input: Record<string, unknown>,
  call: CallOptions,
): AsyncGenerator<unknown> {
  let after = input.after as number | undefined
  for (;;) {
    const page = { limit: PAGE_SIZE, ...input, after }
    const { answer, next } = await send(sender, route, page, call, metaOf)
    yield* answer as unknown[]
    if (next === null) return
    after = next
  }
}
